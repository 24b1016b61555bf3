public import Foundation
import KidobanAuth

/// The signed-in user. Its properties are as of the last sign-in, `reload()` or change.
@MainActor
public final class User {
    var info: KidobanAuth.User
    private unowned let auth: Auth

    init(_ info: KidobanAuth.User, _ auth: Auth) {
        self.info = info
        self.auth = auth
    }

    public var uid: String { info.id }
    public var email: String? { info.email }
    public var isEmailVerified: Bool { info.isEmailVerified }
    public var displayName: String? { info.name }
    public var photoURL: URL? { info.photoURL }
    public var creationDate: Date { info.createdAt }
    /// `password`, or as FirebaseAuth names Apple and Google.
    public var providerID: String { info.provider.map { "\($0).com" } ?? "password" }

    /// Asks the server for what may have changed elsewhere: whether the address is verified, for example.
    public func reload() async throws {
        take(try await mapping { () throws(KidobanError) in try await auth.client.reload() })
    }

    public func sendEmailVerification() async throws {
        guard let email else { throw AuthError(.missingEmail) }
        try await mapping { () throws(KidobanError) in try await auth.client.sendVerification(to: email) }
    }

    /// The address changes once the link in the mail was followed.
    public func sendEmailVerification(beforeUpdatingEmail email: String) async throws {
        try await mapping { () throws(KidobanError) in try await auth.client.changeEmail(to: email) }
    }

    public func createProfileChangeRequest() -> UserProfileChangeRequest {
        UserProfileChangeRequest(self)
    }

    /// An access token for a backend; refreshed when it is about to expire, or because `forcingRefresh` says so.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        try await mapping { () throws(KidobanError) in try await auth.client.accessToken(forced: forcingRefresh) }
    }

    /// Signs in anew, as `delete()` wants after a while. The credential must be of the same user; another one's session ends at once.
    public func reauthenticate(with credential: AuthCredential) async throws {
        let other = try await identity(of: credential)
        guard other.id == uid else {
            try await auth.signOut()
            throw AuthError(.userMismatch)
        }
        take(other)
    }

    private func identity(of credential: AuthCredential) async throws -> KidobanAuth.User {
        try await mapping { () throws(KidobanError) in
            switch credential.kind {
            case .password(let email, let password): try await auth.client.signIn(email: email, password: password)
            case .provider(let token): try await auth.client.signIn(with: token)
            }
        }
    }

    /// Deletes the account. `requiresRecentLogin` when the sign-in was too long ago: reauthenticate and repeat.
    public func delete() async throws {
        try await mapping { () throws(KidobanError) in try await auth.client.deleteAccount() }
        auth.adopt(nil)
    }

    fileprivate func update(_ change: KidobanClient.ProfileChange) async throws {
        take(try await mapping { () throws(KidobanError) in try await auth.client.update(change) })
    }

    private func take(_ info: KidobanAuth.User) {
        if info.id == uid { self.info = info }
    }
}

/// Changes of the profile, made together by `commitChanges()`.
@MainActor
public final class UserProfileChangeRequest {
    private let user: User
    private var change = KidobanClient.ProfileChange()

    init(_ user: User) {
        self.user = user
    }

    /// Nil removes it.
    public var displayName: String? {
        get { change.name ?? user.displayName }
        set { change.name = newValue ?? "" }
    }

    /// Nil removes it.
    public var photoURL: URL? {
        get { change.removesPhoto ? nil : change.photoURL ?? user.photoURL }
        set {
            change.photoURL = newValue
            change.removesPhoto = newValue == nil
        }
    }

    public func commitChanges() async throws {
        guard change != KidobanClient.ProfileChange() else { return }
        try await user.update(change)
    }
}
