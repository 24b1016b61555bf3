import Testing

@testable import Identity

@Suite struct MailboxProofTests {
    @Test(arguments: MailboxProof.allCases) func `of an address that was proved before all stays`(proof: MailboxProof) {
        #expect(proof.outcome(isProved: true) == .unchanged)
    }

    @Test func `whoever first proves the mailbox has the account for oneself, but for the code of a sign-up`() {
        for proof in MailboxProof.allCases {
            #expect(proof.outcome(isProved: false) == (proof == .confirmation ? .proved : .takenBack))
        }
    }
}
