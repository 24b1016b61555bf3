import Postgres
package import Text

/// Another address for an account: asked for by who is signed in, confirmed by a code that was sent to it.
extension Confirmations {
    /// What confirming a new address has come to.
    package struct AddressChange: Sendable {
        package let user: User
        /// To set a password by, where the account has lost its own because its address had never been proved; else nil.
        package let resetCode: SecretString?
    }

    /// Has a link sent to an address that makes it the user's. The user's own, proved address is told. The answer is the same when
    /// somebody has the address; who has it is told then.
    ///
    /// - Parameters:
    ///   - session: the one that asks.
    ///   - keepsSession: whether that one is kept when the address changes.
    ///   - password: nil where the session is of the last minutes.
    /// - Throws: `IdentityError.invalidInput` for what is no address; `invalidCredentials` for a wrong password, `recentSignInRequired`
    ///   without one, or when the session has ended meanwhile; `userNotFound`, `tooManyRequests`, `overloaded`, `unavailable`.
    package func requestAddressChange(
        of id: UserID, in session: SessionID, keepsSession: Bool = true, password: SecretString?, to text: String,
        link: @Sendable (SecretString) -> SecretString, caller: Caller
    ) async throws(IdentityError) {
        let address = try Self.address(text)
        // In this order: whoever ends the sessions raises the number that the user has, and the code is void.
        let user: User
        if let password {
            user = try await accounts.check(password, of: id, in: session, caller)
        } else {
            user = try await users.user(id)
            try await accounts.requireRecentSignIn(of: id, session: session, caller: caller)
        }
        try await pacing { () throws(IdentityError) in
            guard try await permits(.addressConfirmation, to: address, caller) else { return }
            guard address.normalized != user.email?.normalized else { return }
            try await tellOfRequest(user, address, caller)
            try await ask(for: address, of: user, session, keepsSession: keepsSession, link, caller)
        }
        await accounts.note(.addressChangeRequested, id, by: .user(id), nil, session: session, caller)
    }

    private func tellOfRequest(
        _ user: User, _ address: EmailAddress, _ caller: Caller
    ) async throws(IdentityError) {
        try await users.pool.transaction { transaction throws(IdentityError) in
            let before = try await AccountState.hold(user.id, in: transaction)
            try await accounts.notices.enter(
                .addressRequested, of: before, detail: address.normalized, language: caller.language(), in: transaction)
        }
        outbox.ring()
    }

    private func ask(
        for address: EmailAddress, of user: User, _ session: SessionID, keepsSession: Bool,
        _ link: (SecretString) -> SecretString, _ caller: Caller
    ) async throws(IdentityError) {
        let now = system.now()
        let holder = try await users.credentials(of: address)?.user
        let kind = holder == nil ? Mail.Kind.addressConfirmation : .addressTaken
        let recipient = holder ?? user
        guard try await outbox.hasRoom(for: recipient.id, kind, at: system.statementTime) else { return }
        var text = SecretString("")
        if holder == nil {
            let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
            let grant = OneTimeCode.Grant(
                purpose: .changeEmail, userID: user.id, email: user.email?.normalized ?? "",
                credentialsVersion: user.credentialsVersion, newEmail: address.typed, session: keepsSession ? session : nil)
            try await codes.issue(code, grant, life: lifetimes.addressChange, system)
            text = link(code.text)
        }
        // After the code: whoever signs out everywhere ends the sessions and then deletes the codes that they have asked for.
        guard case .live = try await accounts.sessions.store.record(session, at: now) else { throw .recentSignInRequired }
        try await outbox.add(
            Mail(
                id: system.uuid(), userID: recipient.id, kind: kind, recipient: address.normalized,
                language: caller.language(), link: text, createdAt: now,
                expiresAt: now.adding(lifetimes.addressChange)),
            at: system.statementTime)
    }

    /// The address that a code makes a user's, without using it up.
    /// - Throws: `IdentityError.invalidCode`, also when its user is gone, barred or has other credentials by now; `tooManyRequests`,
    ///   `unavailable`.
    package func address(ofCode text: SecretString, caller: Caller) async throws(IdentityError) -> EmailAddress {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            let grant = try await codes.look(code, for: .changeEmail)
            _ = try await holder(of: grant)
            return try Self.newAddress(grant)
        }
    }

    /// Puts the address that a code was sent to in the place of the user's. All sessions end but the one that has asked, if that is kept; and that
    /// one too, with everything else that opened the account, if nobody had proved the address before.
    /// - Throws: `IdentityError.invalidCode`; `emailTaken` when somebody else has the address by now; `tooManyRequests`, `unavailable`.
    package func changeAddress(code text: SecretString, caller: Caller) async throws(IdentityError) -> AddressChange {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let (outcome, user) = try await accounts.limiter.limiting(.code(account: nil, caller), caller) {
            () throws(IdentityError) in
            let grant = try await codes.look(code, for: .changeEmail)
            return try await changeAddress(grant, to: try Self.newAddress(grant), caller)
        }
        // Void already, by the user's credentials.
        await codes.forget(code)
        outbox.ring()
        await accounts.note(.addressChanged, user.id, by: .user(user.id), nil, caller)
        if outcome == .takenBack { await accounts.note(.accountReclaimed, user.id, by: .user(user.id), nil, caller) }
        return AddressChange(user: user, resetCode: outcome == .takenBack ? try? await resetCode(for: user) : nil)
    }

    private func changeAddress(
        _ grant: OneTimeCode.Grant, to address: EmailAddress, _ caller: Caller
    ) async throws(IdentityError) -> (MailboxProof.Outcome, User) {
        let asked = try await holder(of: grant)
        return try await accounts.changes.change(asked, orThrow: .invalidCode) { held throws(IdentityError) in
            guard !held.user.isDisabled else { throw .invalidCode }
            let before = try await AccountState.hold(held.user.id, in: held.transaction)
            // First: the old address, which may be somebody else's, is not proved by it.
            try await held.setEmail(address, isProved: true)
            let outcome = try await held.prove(.addressChange, accounts.notices.canBeUndone)
            switch outcome {
            case .unchanged, .proved:
                try await accounts.notices.enter(
                    .address, of: before, detail: address.normalized, language: caller.language(), in: held.transaction)
                let ending = SessionsToEnd.all(.addressChanged, except: grant.session, forgettingDevices: true)
                return ((outcome, try await held.changed()), ending)
            case .takenBack, .released: return ((outcome, try await held.changed()), .everything(.accountReclaimed))
            }
        }
    }

    private static func newAddress(_ grant: OneTimeCode.Grant) throws(IdentityError) -> EmailAddress {
        guard let text = grant.newEmail, let address = try? EmailAddress(text) else { throw .fault() }
        return address
    }
}
