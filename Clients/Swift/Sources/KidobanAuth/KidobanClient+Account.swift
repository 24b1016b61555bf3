public import Foundation
import KidobanTransport

extension KidobanClient {
    /// What to change of the user; what is nil stays as it is, and an empty name or `removesPhoto` removes.
    public struct ProfileChange: Sendable, Equatable {
        public var name: String?
        public var photoURL: URL?
        public var removesPhoto = false
        public var settings: UserSettings?

        public init(name: String? = nil, photoURL: URL? = nil, removesPhoto: Bool = false, settings: UserSettings? = nil) {
            self.name = name
            self.photoURL = photoURL
            self.removesPhoto = removesPhoto
            self.settings = settings
        }
    }

    private struct ProfileBody: Encodable, Sendable {
        let name: String?
        let photo_url: String?
        let settings: UserSettings?
    }

    private struct MailBody: Encodable, Sendable {
        let email: String
        var password: String?
    }

    private struct CodeBody: Encodable, Sendable {
        let code: String
        var password: String?
    }

    private struct Devices: Decodable {
        let sessions: [Device]
    }

    // MARK: The user

    /// Asks the server who is signed in, and keeps what it says.
    @discardableResult
    public func reload() async throws(KidobanError) -> User {
        try await keep(try await call("GET", "auth/me"))
    }

    @discardableResult
    public func update(_ change: ProfileChange) async throws(KidobanError) -> User {
        let photo = change.removesPhoto ? "" : change.photoURL?.absoluteString
        return try await keep(
            try await call("PATCH", "auth/me", ProfileBody(name: change.name, photo_url: photo, settings: change.settings)))
    }

    private func keep(_ answer: HTTPAnswer) async throws(KidobanError) -> User {
        let user = try decode(User.self, answer)
        try await change { state in
            // Another user may have signed in meanwhile.
            if state.session?.user.id == user.id { state.session?.user = user }
        }
        return user
    }

    /// Deletes the account, and with it every session. The sign-in must be a recent one.
    public func deleteAccount() async throws(KidobanError) {
        let began = epoch
        do throws(KidobanError) {
            _ = try await call("DELETE", "auth/me")
        } catch .sessionEnded(.userDeleted) {
            // An answer was lost, and this is the second time.
            return
        }
        guard epoch == began else { return }
        try await endSession(.userDeleted)
    }

    // MARK: Devices

    /// Where the user is signed in, the device used last first.
    public func devices() async throws(KidobanError) -> [Device] {
        try decode(Devices.self, try await call("GET", "auth/sessions")).sessions
    }

    /// Signs another device out; this one too, but `signOut()` is for that.
    public func signOut(device id: Device.ID) async throws(KidobanError) {
        guard !id.isEmpty, let name = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_"])) else {
            throw .notFound
        }
        _ = try await call("DELETE", "auth/sessions/\(name)")
    }

    public func signOutOtherDevices() async throws(KidobanError) {
        _ = try await call("DELETE", "auth/sessions?keep=current")
    }

    // MARK: Mails

    /// Has a link mailed. Succeeds for every address, whether or not it is anybody's.
    public func sendPasswordReset(to email: String) async throws(KidobanError) {
        _ = try await send("POST", "auth/password/reset", MailBody(email: email))
    }

    /// Sets a new password by the code of a mail's link. Every session of the user ends.
    public func resetPassword(code: String, to password: String) async throws(KidobanError) {
        _ = try await send("POST", "auth/password/reset/confirm", CodeBody(code: code, password: password))
    }

    /// Has a link mailed that verifies the address.
    public func sendVerification(to email: String) async throws(KidobanError) {
        _ = try await send("POST", "auth/email/verification", MailBody(email: email))
    }

    public func verifyEmail(code: String) async throws(KidobanError) {
        _ = try await send("POST", "auth/email/verification/confirm", CodeBody(code: code))
    }

    /// Has a link mailed to the new address, which is the user's once it was followed.
    /// - Parameter password: not needed in a recent session.
    public func changeEmail(to email: String, password: String? = nil) async throws(KidobanError) {
        _ = try await call("POST", "auth/me/email", MailBody(email: email, password: password))
    }

    public func confirmEmail(code: String) async throws(KidobanError) {
        _ = try await send("POST", "auth/email/confirm", CodeBody(code: code))
    }

    // MARK: Providers

    /// Lets the signed-in user sign in by a provider too. The sign-in must be a recent one.
    public func link(_ token: ProviderToken) async throws(KidobanError) {
        var credentials = Credentials()
        credentials.fill(token)
        _ = try await call("POST", "auth/identities", credentials)
    }

    public func unlink(provider: String) async throws(KidobanError) {
        guard !provider.isEmpty, let name = provider.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            throw .notFound
        }
        _ = try await call("DELETE", "auth/identities/\(name)")
    }
}
