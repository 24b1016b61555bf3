import Text

extension Accounts {
    /// Makes a user and begins no session.
    ///
    /// - Parameter username: of the user's own choice; nil for one who gets it when somebody first asks.
    /// - Throws: `IdentityError.invalidInput` with all problems, `emailTaken`, `usernameTaken`, `clientNotPermitted`, `overloaded`,
    ///   `unavailable`.
    package func register(
        _ request: SignUp, username: Username?, client: Client, caller: Caller
    ) async throws(IdentityError) -> User {
        guard client.maySignUsersIn else { throw .clientNotPermitted }
        let (email, password, displayName) = try Self.checked(request)
        // Without a session the user would be told to come back, and then that the address is taken.
        try await sessions.checkReadiness()
        let hash = try await hasher.hash(password)
        let now = ambience.now()
        let new = User(
            id: UserID(at: now, random: ambience.random(10)), email: email, displayName: displayName, createdAt: now,
            updatedAt: now)
        let user: User
        do throws(IdentityError) {
            if let username {
                user = try await users.insert(new, passwordHash: hash, username: username)
            } else {
                user = try await users.insert(new, passwordHash: hash)
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
    package func isTaken(email: EmailAddress) async throws(IdentityError) -> Bool {
        try await users.credentials(of: email) != nil
    }
}
