import Networking
package import Text

/// Sign-ins by a short code from a mail. It is typed where it was asked for, and good nowhere else.
extension Confirmations {
    /// Somebody who has typed the right code.
    package struct SignInByCode: Sendable {
        package let authentication: Authentication
        fileprivate let typed: String
        fileprivate let taken: SignInCodeStore.Taken
        fileprivate let place: OneTimeCode
    }

    private static let signInCodeLength = 8
    private static let signInCodeLife = Duration.seconds(600)

    private var signInCodes: SignInCodeStore { SignInCodeStore(redis: accounts.sessions.store.redis) }

    /// Has a code mailed, if the address is that of a user who may sign in. What comes back says nothing of that.
    /// - Returns: where the code is good. Who asks keeps it, and tells nobody.
    /// - Throws: `IdentityError.invalidInput` for what is no address; `tooManyRequests`, `unavailable`.
    package func requestSignInCode(email: String, caller: Caller) async throws(IdentityError) -> OneTimeCode {
        let address = try Self.address(email)
        let place = OneTimeCode(random: system.random(OneTimeCode.randomByteCount))
        try await pacing { () throws(IdentityError) in
            guard try await permits(.signInCode, to: address, caller) else { return }
            let user = try await users.credentials(of: address)?.user
            try await sendSignInCode(to: user?.isDisabled == false ? user : nil, in: place, caller)
        }
        return place
    }

    /// As `send`: a stranger's code is void at once, and the mail goes nowhere.
    private func sendSignInCode(to user: User?, in place: OneTimeCode, _ caller: Caller) async throws(IdentityError) {
        let now = system.now()
        let recipient = user ?? Self.nobody(at: now, system)
        guard let address = recipient.email?.normalized,
            try await outbox.hasRoom(for: recipient.id, .signInCode, at: system.statementTime)
        else { return }
        let typed = newSignInCode()
        let grant = SignInCodeStore.Grant(
            userID: recipient.id, email: address, credentialsVersion: recipient.credentialsVersion)
        try await signInCodes.keep(typed, grant, in: place, life: user == nil ? .milliseconds(1) : Self.signInCodeLife)
        try await outbox.add(
            Mail(
                id: system.uuid(), userID: recipient.id, kind: .signInCode, recipient: address, language: caller.language(),
                link: SecretString(typed), createdAt: now, expiresAt: now.adding(Self.signInCodeLife)),
            at: system.statementTime)
        if user != nil { await accounts.note(.signInCodeRequested, recipient.id, by: .anonymous, nil, caller) }
    }

    /// Signs in who has read the mail. An account whose address nobody had proved is taken back by it.
    /// - Throws: `IdentityError.invalidCode`, also when the user is gone, barred or has other credentials by now, and after too many tries;
    ///   `clientNotPermitted`, `tooManyRequests`, `unavailable`.
    package func signIn(
        code text: SecretString, in place: OneTimeCode, client: Client, caller: Caller
    ) async throws(IdentityError) -> SignInByCode {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        guard let typed = Self.typed(text) else { throw .invalidCode }
        return try await accounts.limiter.limiting(.code(account: nil, caller), caller) { () throws(IdentityError) in
            let taken = try await signInCodes.take(typed, in: place)
            do throws(IdentityError) {
                let user = try await owner(of: taken.grant, client, caller)
                let authentication = Authentication(of: user, by: [.oneTimePassword], at: system.now(), occasion: .mailedCode)
                accounts.limiter.remember(caller, at: user.account)
                return SignInByCode(authentication: authentication, typed: typed, taken: taken, place: place)
            } catch {
                if error.isOurs { await giveBack(typed, taken, in: place) }
                throw error
            }
        }
    }

    /// Makes a code good again that has led to nothing because we have failed, for as long as it would have been; of no consequence if it fails.
    package func giveBack(_ signIn: SignInByCode) async {
        await giveBack(signIn.typed, signIn.taken, in: signIn.place)
    }

    private func giveBack(_ typed: String, _ taken: SignInCodeStore.Taken, in place: OneTimeCode) async {
        let now = Instant.now()
        guard now < taken.end else { return }
        try? await signInCodes.keep(typed, taken.grant, in: place, life: taken.end.since(now))
    }

    private func owner(
        of grant: SignInCodeStore.Grant, _ client: Client, _ caller: Caller
    ) async throws(IdentityError) -> User {
        let found: User
        do throws(IdentityError) {
            found = try await users.user(grant.userID)
        } catch {
            throw error == .userNotFound ? .invalidCode : error
        }
        guard !found.isDisabled, found.credentialsVersion == grant.credentialsVersion, found.email?.normalized == grant.email
        else { throw .invalidCode }
        guard !found.emailVerified else { return found }
        return try await accounts.owner(of: found, client, caller)
    }

    private func newSignInCode() -> String {
        let number = system.random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
        let digits = String(number)
        return String(repeating: "0", count: Self.signInCodeLength - digits.count) + digits
    }

    /// The digits of what was typed, with blanks or hyphens perhaps, or in another script; nil for what can be no code.
    private static func typed(_ text: SecretString) -> String? {
        guard text.byteCount <= 64 else { return nil }
        let digits = text.revealedText.compactMap(\.wholeNumberValue)
        guard digits.count == signInCodeLength, digits.allSatisfy((0...9).contains) else { return nil }
        return digits.map(String.init).joined()
    }
}
