import Networking
import Text

/// Leave to try one sign-up, which has been counted. What a protocol tells of an address or a username beforehand is part of the try.
package struct SignUpPermit: Sendable {
    fileprivate init() {}
}

extension Accounts {
    /// Somebody who is about to sign up, with the hash of the password.
    struct Applicant: Sendable {
        let user: User
        let passwordHash: String
    }

    /// Counts an attempt to sign up with those of the caller. With those of the address it counts once there is nothing against it: else
    /// strangers who are refused would keep its owner from signing up.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func permitSignUp(client: Client, caller: Caller) async throws(IdentityError) -> SignUpPermit {
        try await limiter.take(.signUp(account: nil, client: client.id, hashes: true, caller), caller)
        return SignUpPermit()
    }

    /// Counts a signed-in user's question whether a username is free.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func permitUsername(askedBy user: User, caller: Caller) async throws(IdentityError) {
        try await limiter.take(.username(askedBy: user.account, caller), caller)
    }

    /// Makes a user and begins no session.
    ///
    /// - Parameters:
    ///   - username: of the user's own choice; nil for one who gets it when somebody first asks.
    ///   - permit: nil to have the attempt counted here.
    /// - Throws: `IdentityError.invalidInput` with all problems, `emailTaken`, `usernameTaken`, `clientNotPermitted`, `tooManyRequests`,
    ///   `overloaded`, `unavailable`.
    package func register(
        _ request: SignUp, username: Username?, client: Client, permit: SignUpPermit? = nil, caller: Caller
    ) async throws(IdentityError) -> User {
        let applicant = try await applicant(request, client: client, permit: permit, caller: caller)
        let user = try await enrol(applicant, username: username, client: client, caller: caller)
        limiter.remember(caller, at: user.account)
        return user
    }

    /// The same for who is signed in at once: the user is stored when a session has begun with what is returned, and not without. So nobody is
    /// told to come back, and then that the address is taken; and nothing is left to be checked of the user afterwards.
    /// - Throws: `IdentityError.invalidInput` with all problems, `clientNotPermitted`, `tooManyRequests`, `overloaded`, `unavailable`; whoever
    ///   begins the session is told of `emailTaken`.
    package func signUpWithSession(
        _ request: SignUp, client: Client, caller: Caller
    ) async throws(IdentityError) -> Authentication {
        let applicant = try await applicant(request, client: client, permit: nil, beginsSession: true, caller: caller)
        return Authentication(of: applicant.user, by: [.password], at: system.now(), occasion: .signUp) {
            [self] () throws(IdentityError) in
            let user = try await enrol(applicant, username: nil, client: client, caller: caller)
            limiter.remember(caller, at: user.account)
        }
    }

    /// Somebody who may sign up, if the address is nobody's. Counted and hashed, which costs the same for every address.
    /// - Parameter beginsSession: whether the user is stored once a session has begun.
    /// - Throws: `IdentityError.invalidInput` with all problems, `clientNotPermitted`, `tooManyRequests`, `overloaded`, `unavailable`.
    func applicant(
        _ request: SignUp, client: Client, permit: SignUpPermit?, beginsSession: Bool = false, caller: Caller
    ) async throws(IdentityError) -> Applicant {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        let (email, password, displayName) = try Self.checked(request)
        let account = email.normalized
        let attempt: LimitAttempt =
            permit == nil
            ? .signUp(account: account, client: client.id, hashes: true, caller) : .permittedSignUp(account: account)
        try await limiter.take(attempt, caller)
        // Without a session the user would be told to come back, and then that the address is taken.
        if !beginsSession { try await sessions.checkReadiness() }
        // There is no account yet: of many at once for one address one comes through, and the others are told so.
        let owner = JobOwner(hashingFor: caller, account: nil, client: client.id)
        let hash = try await hasher.hash(password, for: owner)
        let now = system.now()
        let new = User(
            id: UserID(at: now, random: system.random(10)), email: email, displayName: displayName, createdAt: now,
            updatedAt: now, lastSignInAt: beginsSession ? now : nil)
        return Applicant(user: new, passwordHash: hash)
    }

    /// Makes the user.
    /// - Throws: `IdentityError.emailTaken`, `usernameTaken`, `unavailable`.
    func enrol(
        _ applicant: Applicant, username: Username?, client: Client, caller: Caller
    ) async throws(IdentityError) -> User {
        let user: User
        do throws(IdentityError) {
            if let username {
                user = try await users.insert(applicant.user, passwordHash: applicant.passwordHash, username: username)
            } else {
                user = try await users.insert(applicant.user, passwordHash: applicant.passwordHash)
            }
        } catch {
            if error == .emailTaken { await note(.signUpRefused, nil, by: .anonymous, client, caller) }
            throw error
        }
        metrics.countSignUp()
        await note(.userSignedUp, user.id, by: .user(user.id), client, caller)
        return user
    }

    /// Whether an address has an account, for protocols that tell.
    /// - Throws: `IdentityError.unavailable`.
    package func isTaken(email: EmailAddress, _ permit: SignUpPermit) async throws(IdentityError) -> Bool {
        try await users.credentials(of: email) != nil
    }
}
