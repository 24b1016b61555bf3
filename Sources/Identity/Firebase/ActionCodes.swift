import Crypto
import Networking
import Redis
package import Text

/// What an action code of a project is good for.
package enum ActionCode: Sendable {
    case resetPassword(User)
    case verifyEmail(User)
    case changeEmail(User, to: EmailAddress)
    /// The address of before.
    case recoverEmail(User, to: EmailAddress)
    case signIn(EmailAddress)
}

/// Codes that are given to an administrator, or shown in the emulator, in place of a mail; and what a code is good for.
extension ProjectAccounts {
    /// A code that sets a password.
    /// - Throws: `IdentityError.unavailable`.
    package func resetCode(
        for user: User, in confirmations: Confirmations
    ) async throws(IdentityError) -> SecretString {
        try await confirmations.resetCode(for: user)
    }

    /// A code that proves the address of a user, or a new one.
    /// - Throws: `IdentityError.unavailable`.
    package func addressCode(
        for user: User, newEmail: EmailAddress? = nil, in confirmations: Confirmations
    ) async throws(IdentityError) -> SecretString {
        let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        let grant = OneTimeCode.Grant(
            purpose: newEmail == nil ? .verifyEmail : .changeEmail, userID: user.id, email: user.email?.normalized ?? "",
            credentialsVersion: user.credentialsVersion, newEmail: newEmail?.typed)
        let lifetimes = confirmations.lifetimes
        try await confirmations.codes.issue(
            code, grant, life: newEmail == nil ? lifetimes.emailVerification : lifetimes.addressChange, system)
        return code.text
    }

    /// A code that gives a user the address of before back, for the emulator: else the mail that tells of the change has a link that undoes it.
    /// - Throws: `IdentityError.unavailable`.
    package func recoveryCode(
        for user: User, to email: EmailAddress, in confirmations: Confirmations
    ) async throws(IdentityError) -> SecretString {
        let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        let grant = OneTimeCode.Grant(
            purpose: .recoverEmail, userID: user.id, email: user.email?.normalized ?? "",
            credentialsVersion: user.credentialsVersion, newEmail: email.typed)
        try await confirmations.codes.issue(code, grant, life: confirmations.lifetimes.emailVerification, system)
        return code.text
    }

    /// A code that signs in whoever reads the mail of an address, whether or not there is a user.
    /// - Parameter caller: who asks; nil for an administrator.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func signInCode(for email: EmailAddress, caller: Caller?) async throws(IdentityError) -> SecretString {
        if let caller { try await accounts.limiter.take(.mail(caller), caller) }
        let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        let link = EmailLinkStore.Link(email, of: try await user(of: email))
        try await links.keep(code, for: link, life: rules.emailLinkLifetime)
        return code.text
    }

    /// Has a mail sent with a code that signs in whoever reads it, whether or not there is a user; not to one who is barred.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func mailSignInLink(
        to email: EmailAddress, language: Mail.Language, link: (SecretString) -> SecretString, by confirmations: Confirmations,
        caller: Caller
    ) async throws(IdentityError) {
        try await confirmations.pacing { () throws(IdentityError) in
            guard try await confirmations.permits(.signInLink, to: email, caller) else { return }
            let user = try await user(of: email)
            guard user?.isDisabled != true else { return }
            let code = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
            let kept = EmailLinkStore.Link(email, of: user)
            try await links.keep(code, for: kept, life: rules.emailLinkLifetime)
            try await confirmations.sendSignInLink(
                link(code.text), to: email, of: user, life: rules.emailLinkLifetime, language: language, caller)
        }
    }

    /// What a code is good for, which it stays.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func meaning(
        of text: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) -> ActionCode {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            do throws(IdentityError) {
                return try await meaning(of: try await confirmations.codes.look(code), confirmations)
            } catch .invalidCode {
                return .signIn(try await links.look(code).email)
            }
        }
    }

    private func meaning(
        of grant: OneTimeCode.Grant, _ confirmations: Confirmations
    ) async throws(IdentityError) -> ActionCode {
        switch grant.purpose {
        case .resetPassword: return .resetPassword(try await confirmations.holder(of: grant))
        case .verifyEmail:
            // It proves the address, whatever opens the account by now.
            do throws(IdentityError) {
                let user = try await users.user(grant.userID)
                guard !user.isDisabled, user.email?.normalized == grant.email else { throw IdentityError.invalidCode }
                return .verifyEmail(user)
            } catch {
                throw error == .userNotFound ? .invalidCode : error
            }
        case .changeEmail:
            guard let address = grant.newEmail.flatMap({ try? EmailAddress($0) }) else { throw .invalidCode }
            return .changeEmail(try await confirmations.holder(of: grant), to: address)
        case .recoverEmail:
            // Whatever opens the account by now: the mailbox was its own.
            guard let address = grant.newEmail.flatMap({ try? EmailAddress($0) }) else { throw .invalidCode }
            do throws(IdentityError) {
                let user = try await users.user(grant.userID)
                guard !user.isDisabled else { throw IdentityError.invalidCode }
                return .recoverEmail(user, to: address)
            } catch {
                throw error == .userNotFound ? .invalidCode : error
            }
        }
    }

    /// Proves the address that a code was sent to, for which it is good once. It is used up last: one that an outage has stopped stays good.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func verifyEmail(
        code text: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) -> ProjectUser {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let user = try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            let grant = try await confirmations.codes.look(code, for: .verifyEmail)
            guard try await users.verifyEmail(of: grant.userID, grant.email, at: system.now()) else {
                throw IdentityError.invalidCode
            }
            let user = try await self.user(grant.userID)
            try await sessions.update(SessionOwner(user.user), of: grant.userID)
            _ = try await confirmations.codes.take(code, for: .verifyEmail)
            return user
        }
        await accounts.note(.emailVerified, user.user.id, by: .user(user.user.id), nil, caller)
        return user
    }

    /// Gives a user the address of before back by a code, which is used up last, and proves it.
    /// - Throws: `IdentityError.invalidCode`, `emailTaken`, `tooManyRequests`, `unavailable`.
    package func recoverEmail(
        code text: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) -> ProjectUser {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            let grant = try await confirmations.codes.look(code, for: .recoverEmail)
            guard let email = grant.newEmail.flatMap({ try? EmailAddress($0) }) else { throw IdentityError.invalidCode }
            var change = ProjectUserChange()
            change.email = .set(email)
            change.emailVerified = true
            let user = try await self.change(grant.userID, change, by: .user(grant.userID), caller: caller)
            _ = try await confirmations.codes.take(code, for: .recoverEmail)
            return user
        }
    }

    /// Sets a new password by a code, by the project's rule for passwords, and ends all sessions.
    /// - Throws: as `Confirmations.resetPassword`.
    package func resetPassword(
        code text: SecretString, to password: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) {
        try await confirmations.resetPassword(code: text, caller: caller) { user throws(IdentityError) in
            try await hash(password, of: user, caller)
        }
    }

    private func hash(_ text: SecretString, of user: User, _ caller: Caller) async throws(IdentityError) -> String {
        let password: Password
        do throws(InputProblem) {
            password = try rules.password(text.revealedText, of: user.email)
        } catch {
            throw .invalidInput([error])
        }
        // Nobody else can make the account's owner wait: the code is from their mail.
        let owner = JobOwner(hashingFor: caller, account: nil, client: nil)
        return try await accounts.hasher.hash(password, for: owner)
    }

    /// Signs in who has a code that was sent to this address, and makes the user if there is none. An account whose address nobody had proved is
    /// taken back by it. The code is used up when the session begins, and stays good if none does.
    /// - Throws: `IdentityError.invalidCode`; `invalidCredentials` for a code of another address; `userDisabled`, `tooManyRequests`,
    ///   `unavailable`.
    package func signInWithEmailLink(
        code text: SecretString, email: EmailAddress, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            try await sessions.checkReadiness()
            let (user, isNew) = try await owner(of: try await links.look(code, for: email), code, client, caller)
            guard !user.isDisabled else { throw IdentityError.userDisabled }
            try await mark(user.id, Self.markLink)
            accounts.limiter.remember(caller, at: user.account)
            return Authentication(
                of: user, by: [.oneTimePassword], at: system.now(), occasion: isNew ? .signUp : .continued,
                enrolment: usingUp(code, by: user))
        }
    }

    /// Gives a user who is signed in the address of a code, and begins anew. The code is used up when that session begins; until then it signs
    /// in to the account that has the address now.
    /// - Throws: `IdentityError.invalidCode`, `invalidCredentials`, `emailTaken`, `tooManyRequests`, `unavailable`.
    package func link(
        _ text: SecretString, email: EmailAddress, to session: Session, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        var change = ProjectUserChange()
        change.email = .set(email)
        change.emailVerified = true
        let wanted = change
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            _ = try await links.look(code, for: email)
            let user = try await self.change(
                session.userID, wanted, by: .user(session.userID), asked: session, caller: caller
            ).user
            try await links.rewrite(code, for: EmailLinkStore.Link(email, of: user))
            try await mark(session.userID, Self.markLink)
            return continuing(user, after: session, with: .oneTimePassword, enrolment: usingUp(code, by: user))
        }
    }

    /// Notes a sign-in and uses its code up: of several at once one gets it, and the sessions of the others do not begin.
    private func usingUp(_ code: OneTimeCode, by user: User) -> @Sendable () async throws(IdentityError) -> Void {
        { [users, links, system] () throws(IdentityError) in
            try await users.recordSignIn(of: user, at: system.now())
            _ = try await links.take(code)
        }
    }

    /// Whoever has the mailbox: found, taken back, or made. The code is rewritten for who is made or changed by it, so that it leads there again
    /// if something fails from then on.
    /// - Throws: `IdentityError.invalidCode` also where the ways into an account whose address is proved have changed since the mail.
    private func owner(
        of link: EmailLinkStore.Link, _ code: OneTimeCode, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, isNew: Bool) {
        let email = link.email
        if let found = try await users.credentials(of: email)?.user {
            guard found.isDisabled || !found.emailVerified || link.isUpToDate(for: found) else { throw .invalidCode }
            guard !found.isDisabled, !found.emailVerified else { return (found, false) }
            let user = try await accounts.owner(of: found, client, caller)
            try await links.rewrite(code, for: EmailLinkStore.Link(email, of: user))
            return (user, user.id != found.id)
        }
        let now = system.now()
        let new = User(
            id: UserID(at: now, random: system.random(10)), email: email, emailVerified: true, createdAt: now, updatedAt: now)
        // Before: the user may be there although PostgreSQL's answer is lost.
        try await links.rewrite(code, for: EmailLinkStore.Link(email, of: new))
        do throws(IdentityError) {
            let user = try await users.insert(new, passwordHash: nil)
            accounts.metrics.countSignUp()
            await accounts.note(.userSignedUp, user.id, by: .user(user.id), client, caller)
            return (user, true)
        } catch .emailTaken {
            // Somebody was faster, and the next code finds the account.
            throw .invalidCode
        }
    }
}

/// What the emulator shows in place of sending mails.
extension ProjectAccounts {
    private static let shownKey = "emulator:codes"
    private static let privacyKey = "emulator:hides-addresses"
    private static let shownLimit: Int64 = 1000

    /// - Throws: `IdentityError.unavailable`.
    package func show(_ item: JSONObject) async throws(IdentityError) {
        var push = RedisCommand("RPUSH", Self.shownKey)
        push.append(JSONValue.object(item).serialized)
        var trim = RedisCommand("LTRIM", Self.shownKey)
        trim.append(-Self.shownLimit)
        trim.append(-1)
        for command in [push, trim, RedisCommand("EXPIRE", Self.shownKey, "86400")] { _ = try await send(command) }
    }

    /// - Throws: `IdentityError.unavailable`.
    package func shownCodes() async throws(IdentityError) -> [JSONValue] {
        guard case .array(let replies) = try await send(RedisCommand("LRANGE", Self.shownKey, "0", "-1")) else { return [] }
        return replies.compactMap { reply in
            guard case .bytes(let bytes) = reply else { return nil }
            return try? JSON.parse(bytes)
        }
    }

    /// - Throws: `IdentityError.unavailable`.
    package func forgetShown(_ code: SecretString) async throws(IdentityError) {
        for item in try await shownCodes() where item["oobCode"]?.stringValue == code.revealedText {
            var remove = RedisCommand("LREM", Self.shownKey, "0")
            remove.append(item.serialized)
            _ = try await send(remove)
        }
    }

    /// What a test has said about hiding addresses; nil for nothing.
    /// - Throws: `IdentityError.unavailable`.
    package func emulatorHidesAddresses() async throws(IdentityError) -> Bool? {
        try await send(RedisCommand("GET", Self.privacyKey)).text.map { $0 == "1" }
    }

    /// - Throws: `IdentityError.unavailable`.
    package func setEmulator(hidesAddresses: Bool) async throws(IdentityError) {
        _ = try await send(RedisCommand("SET", Self.privacyKey, hidesAddresses ? "1" : "0", "EX", "86400"))
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        let redis = accounts.sessions.store.redis
        return try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }
}
