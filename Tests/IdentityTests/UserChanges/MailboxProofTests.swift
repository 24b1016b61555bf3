import Testing

@testable import Identity

@Suite struct MailboxProofTests {
    @Test(arguments: MailboxProof.allCases) func `of an address that was proved before all stays`(proof: MailboxProof) {
        #expect(proof.outcome(isProved: true, hasOtherOwner: true) == .unchanged)
    }

    @Test func `whoever first proves the mailbox has the account for oneself, but for a confirmation`() {
        for proof in MailboxProof.allCases {
            let opens = proof != .confirmation && proof != .vouching
            #expect(proof.outcome(isProved: false, hasOtherOwner: false) == (opens ? .takenBack : .proved))
        }
    }

    @Test func `an account that has another owner releases the address`() {
        for proof in [MailboxProof.passwordReset, .provider, .mailSignIn] {
            #expect(proof.outcome(isProved: false, hasOtherOwner: true) == .released)
        }
    }
}
