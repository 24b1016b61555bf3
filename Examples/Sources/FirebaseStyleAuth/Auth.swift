public import Foundation
public import KidobanAuth

/// `Auth` with the names that apps know from FirebaseAuth, on Kidoban's own API. An app replaces `import FirebaseAuth` by this and
/// `FirebaseApp.configure()` by `Auth.configure(server:storage:)`; `signOut()` is awaited here.
@MainActor
public final class Auth {
    public struct StateListenerHandle: Hashable, Sendable {
        fileprivate let id = UUID()
    }

    public typealias StateListener = @MainActor (Auth, User?) -> Void

    private static var shared: Auth?

    let client: KidobanClient
    public private(set) var currentUser: User?
    private var listeners: [StateListenerHandle: StateListener] = [:]
    private var watch: Task<Void, Never>?

    /// Once at the start of the app, before anything else. Whoever was signed in is signed in again when it returns, also without a network.
    @discardableResult
    public static func configure(server: URL, storage: any TokenStorage) async throws -> Auth {
        let auth = Auth(KidobanClient(server, storage: storage))
        auth.adopt(try await mapping { () throws(KidobanError) in try await auth.client.user })
        auth.watchStates()
        shared?.watch?.cancel()
        shared = auth
        return auth
    }

    public static func auth() -> Auth {
        guard let shared else { preconditionFailure("Auth.configure(server:storage:) comes first") }
        return shared
    }

    private init(_ client: KidobanClient) {
        self.client = client
    }

    // MARK: Signing up, in and out

    /// Makes the account and signs in.
    @discardableResult
    public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
        let result = try await mapping { () throws(KidobanError) in try await client.signUp(email: email, password: password) }
        // A server that tells nobody which addresses it knows: the mail says how to go on.
        guard case .signedIn(let info) = result else { throw AuthError(.unverifiedEmail) }
        return try signedIn(info, isNew: true)
    }

    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
        let info = try await mapping { () throws(KidobanError) in try await client.signIn(email: email, password: password) }
        return try signedIn(info)
    }

    /// By an id token of Apple or Google.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        switch credential.kind {
        case .password(let email, let password): return try await signIn(withEmail: email, password: password)
        case .provider(let token):
            return try signedIn(try await mapping { () throws(KidobanError) in try await client.signIn(with: token) })
        }
    }

    /// Signs out at once, here and, as soon as it can be reached, at the server.
    public func signOut() async throws {
        try await mapping { () throws(KidobanError) in try await client.signOut() }
        adopt(nil)
    }

    // MARK: Mails

    public func sendPasswordReset(withEmail email: String) async throws {
        try await mapping { () throws(KidobanError) in try await client.sendPasswordReset(to: email) }
    }

    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
        try await mapping { () throws(KidobanError) in try await client.resetPassword(code: code, to: newPassword) }
    }

    /// The code of a mail that verifies an address.
    public func applyActionCode(_ code: String) async throws {
        try await mapping { () throws(KidobanError) in try await client.verifyEmail(code: code) }
    }

    // MARK: Who is signed in

    /// Calls the listener now, and each time when somebody signs in or out, be it the server's doing.
    @discardableResult
    public func addStateDidChangeListener(_ listener: @escaping StateListener) -> StateListenerHandle {
        let handle = StateListenerHandle()
        listeners[handle] = listener
        listener(self, currentUser)
        return handle
    }

    public func removeStateDidChangeListener(_ handle: StateListenerHandle) {
        listeners[handle] = nil
    }

    private func signedIn(_ info: KidobanAuth.User, isNew: Bool = false) throws -> AuthDataResult {
        adopt(info)
        guard let currentUser else { throw AuthError(.internalError) }
        return AuthDataResult(user: currentUser, isNewUser: isNew)
    }

    /// One `User` object for as long as the same user is signed in.
    func adopt(_ info: KidobanAuth.User?) {
        if let info, let currentUser, currentUser.uid == info.id { return currentUser.info = info }
        guard info != nil || currentUser != nil else { return }
        currentUser = info.map { User($0, self) }
        for listener in listeners.values { listener(self, currentUser) }
    }

    private func watchStates() {
        watch = Task { [weak self, states = client.states()] in
            for await state in states {
                guard let self else { return }
                switch state {
                // What signs in says so itself, and may have been followed by a sign-out since.
                case .signedIn: break
                case .signedOut: if let isOver = try? await client.user == nil, isOver { adopt(nil) }
                }
            }
        }
    }
}

/// Whom a sign-in has signed in.
public struct AuthDataResult: Sendable {
    public let user: User
    public let isNewUser: Bool
}

/// What `signIn(with:)` and `reauthenticate(with:)` take.
public struct AuthCredential: Sendable {
    enum Kind: Sendable {
        case password(email: String, password: String)
        case provider(ProviderToken)
    }

    let kind: Kind
}

public enum EmailAuthProvider {
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(kind: .password(email: email, password: password))
    }
}

public enum OAuthProvider {
    public static func appleCredential(
        withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents? = nil
    ) -> AuthCredential {
        let name = [fullName?.givenName, fullName?.familyName].compactMap(\.self).joined(separator: " ")
        return AuthCredential(
            kind: .provider(.apple(idToken: idToken, nonce: rawNonce, name: name.isEmpty ? nil : name)))
    }
}

public enum GoogleAuthProvider {
    /// The access token of FirebaseAuth's call is not needed.
    public static func credential(withIDToken idToken: String, nonce: String? = nil) -> AuthCredential {
        AuthCredential(kind: .provider(.google(idToken: idToken, nonce: nonce)))
    }
}
