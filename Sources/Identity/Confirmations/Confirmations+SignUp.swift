/// How the links of the mails are written that somebody who signs up may get.
package struct SignUpLinks: Sendable {
    /// For an address that is new.
    package let verification: Confirmations.Link
    /// For one that has an account.
    package let reset: Confirmations.Link

    package init(verification: Confirmations.Link, reset: Confirmations.Link) {
        self.verification = verification
        self.reset = reset
    }
}

extension Confirmations {
    /// Signs up behind an answer that is the same for every address: whether it has an account already is told to its owner only, by mail.
    ///
    /// A new address gets the link that confirms it, without which its password signs nobody in. One that has an account gets word that somebody tried, and a link
    /// for a new password. Both cost a hash and a mail, and answer at the same pace.
    /// - Throws: `IdentityError.invalidInput` with all problems; `clientNotPermitted`, `tooManyRequests`, `overloaded`, `unavailable`.
    package func signUp(
        _ request: Accounts.SignUp, client: Client, permit: SignUpPermit? = nil, language: Mail.Language, links: SignUpLinks,
        caller: Caller
    ) async throws(IdentityError) {
        let applicant = try await accounts.applicant(request, client: client, permit: permit, caller: caller)
        try await pacing { () throws(IdentityError) in
            do throws(IdentityError) {
                let user = try await accounts.enrol(applicant, username: nil, client: client, caller: caller)
                try await requestVerification(of: user, isNew: true, language: language, link: links.verification, caller: caller)
            } catch .emailTaken {
                guard let address = applicant.user.email else { throw .fault() }
                let owner = try await users.credentials(of: address)?.user
                try await send(
                    .signUpAttempted, .resetPassword, to: owner?.isDisabled == false ? owner : nil,
                    life: lifetimes.passwordReset, language: language, link: links.reset, caller)
            }
        }
    }
}
