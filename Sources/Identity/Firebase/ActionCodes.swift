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

    /// Proves the address that a code was sent to, for which it is good once.
    /// - Throws: `IdentityError.invalidCode`, `tooManyRequests`, `unavailable`.
    package func verifyEmail(
        code text: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        let userID = try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            // First of all looked at: one that is good for something else stays.
            _ = try await confirmations.codes.look(code, for: .verifyEmail)
            let grant = try await confirmations.codes.take(code, for: .verifyEmail)
            do throws(IdentityError) {
                guard try await users.verifyEmail(of: grant.userID, grant.email, at: system.now()) else {
                    throw IdentityError.invalidCode
                }
                try await sessions.update(SessionOwner(try await users.user(grant.userID)), of: grant.userID)
            } catch {
                if error.isOurs {
                    await confirmations.codes.giveBack(code, grant, life: confirmations.lifetimes.emailVerification)
                }
                throw error
            }
            return grant.userID
        }
        await accounts.note(.emailVerified, userID, by: .user(userID), nil, caller)
    }

    /// Gives a user the address of before back by a code, which is used up, and proves it.
    /// - Throws: `IdentityError.invalidCode`, `emailTaken`, `tooManyRequests`, `unavailable`.
    package func recoverEmail(
        code text: SecretString, in confirmations: Confirmations, caller: Caller
    ) async throws(IdentityError) {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            _ = try await confirmations.codes.look(code, for: .recoverEmail)
            let grant = try await confirmations.codes.take(code, for: .recoverEmail)
            guard let email = grant.newEmail.flatMap({ try? EmailAddress($0) }) else { throw IdentityError.invalidCode }
            var change = ProjectUserChange()
            change.email = .set(email)
            change.emailVerified = true
            _ = try await self.change(grant.userID, change, by: .user(grant.userID), caller: caller)
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
    /// taken back by it.
    /// - Throws: `IdentityError.invalidCode`; `invalidCredentials` for a code of another address, which stays good; `userDisabled`,
    ///   `tooManyRequests`, `unavailable`.
    package func signInWithEmailLink(
        code text: SecretString, email: EmailAddress, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            try await sessions.checkReadiness()
            let (user, isNew) = try await using(code, of: email) { link throws(IdentityError) in
                try await owner(of: link, client, caller)
            }
            guard !user.isDisabled else { throw IdentityError.userDisabled }
            try await mark(user.id, Self.markLink)
            accounts.limiter.remember(caller, at: user.account)
            return Authentication(
                of: user, by: [.oneTimePassword], at: system.now(), occasion: isNew ? .signUp : .continued)
        }
    }

    /// Gives a user who is signed in the address of a code.
    /// - Throws: `IdentityError.invalidCode`, `invalidCredentials`, `emailTaken`, `tooManyRequests`, `unavailable`.
    package func link(
        _ text: SecretString, email: EmailAddress, to session: Session, caller: Caller
    ) async throws(IdentityError) -> ProjectUser {
        guard let code = OneTimeCode(text) else { throw .invalidCode }
        var change = ProjectUserChange()
        change.email = .set(email)
        change.emailVerified = true
        let wanted = change
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            try await using(code, of: email) { _ throws(IdentityError) in
                _ = try await self.change(session.userID, wanted, by: .user(session.userID), asked: session, caller: caller)
                try await mark(session.userID, Self.markLink)
                return try await self.user(session.userID)
            }
        }
    }

    /// Uses the code of a link up for what it leads to. It stays good where it was sent to another address, or where we fail.
    private func using<T>(
        _ code: OneTimeCode, of email: EmailAddress, _ body: (EmailLinkStore.Link) async throws(IdentityError) -> T
    ) async throws(IdentityError) -> T {
        guard try await links.look(code).email.normalized == email.normalized else { throw .invalidCredentials }
        let link = try await links.take(code)
        do throws(IdentityError) {
            return try await body(link)
        } catch {
            if error.isOurs { await links.giveBack(code, for: link, life: rules.emailLinkLifetime) }
            throw error
        }
    }

    /// Whoever has the mailbox: found, taken back, or made.
    /// - Throws: `IdentityError.invalidCode` also where the ways into an account whose address is proved have changed since the mail.
    private func owner(
        of link: EmailLinkStore.Link, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> (User, isNew: Bool) {
        let email = link.email
        if let found = try await users.credentials(of: email)?.user {
            guard found.isDisabled || !found.emailVerified || link.isUpToDate(for: found) else { throw .invalidCode }
            guard !found.isDisabled, !found.emailVerified else { return (found, false) }
            let user = try await accounts.owner(of: found, client, caller)
            return (user, user.id != found.id)
        }
        let now = system.now()
        let new = User(
            id: UserID(at: now, random: system.random(10)), email: email, emailVerified: true, createdAt: now, updatedAt: now)
        do throws(IdentityError) {
            let user = try await users.insert(new, passwordHash: nil)
            accounts.metrics.countSignUp()
            await accounts.note(.userSignedUp, user.id, by: .user(user.id), client, caller)
            return (user, true)
        } catch .emailTaken {
            // Somebody was faster; the code is used up, and the next one finds the account.
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
