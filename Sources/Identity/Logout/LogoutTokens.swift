import JOSE
import Outbound
package import Text

/// What clients are sent when a session is over: a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4), signed anew for each attempt.
package struct LogoutTokens: Sendable {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// A client that has it is told to take none that is older.
    private static let life = Duration.seconds(120)

    private let issuer: String
    private let keys: LoopSlot<KeyRing?>
    private let clients: ClientRegistry
    private let system: SystemContext

    package init(issuer: String, keys: LoopSlot<KeyRing?>, clients: ClientRegistry, system: SystemContext) {
        self.issuer = issuer
        self.keys = keys
        self.clients = clients
        self.system = system
    }

    /// The letter for a job; for `PostHandler`.
    package func letter(for job: Job) async -> PostHandler.Letter {
        guard let logout = BackchannelLogout(job) else { return .hopeless("it is of another version") }
        do throws(IdentityError) {
            let client = try await clients.client(logout.clientID.text).client
            guard let endpoint = client.backChannelLogout else { return .unwanted }
            let token = try keys.current().sign(claims(logout), type: .logoutToken, algorithm: client.idTokenAlgorithm)
            var form = FormBody()
            form.append("logout_token", token)
            // A client that has registered itself must not have us ask hosts of our own network.
            let isStranger = if case .dynamic = client.registration { true } else { false }
            return .post(
                OutboundRequest(
                    .post, endpoint.uri, fields: [("Content-Type", "application/x-www-form-urlencoded")], body: form.bytes,
                    isForPublicHosts: isStranger))
        } catch .invalidClient {
            return .unwanted
        } catch {
            return .later("no key to sign with, or the client cannot be looked up")
        }
    }

    func claims(_ logout: BackchannelLogout) -> JSONObject {
        let now = system.now()
        var claims = JSONObject()
        claims["iss"] = .string(issuer)
        claims["sub"] = .string(logout.subject)
        claims["aud"] = .string(logout.clientID.text)
        claims["iat"] = .integer(now.seconds)
        claims["exp"] = .integer(now.adding(Self.life).seconds)
        claims["jti"] = .string(system.uuid().description)
        claims["sid"] = logout.sessionID.map { .string($0) }
        claims["events"] = .object(JSONObject([JSONObject.Member(key: Self.event, value: .object(JSONObject()))]))
        return claims
    }
}

/// Whom and which session a client wants to be signed out (OpenID Connect RP-Initiated Logout 1.0 §2, `id_token_hint`): one of our own id tokens,
/// whether or not it has expired.
package struct LogoutHint: Equatable, Sendable {
    package let clientID: String
    package let userID: UserID
    package let sessionID: String?

    /// - Returns: nil for what is no id token of ours.
    /// - Throws: `IdentityError.unavailable` while there are no keys.
    package init?(_ token: String, issuer: String, keys: LoopSlot<KeyRing?>) throws(IdentityError) {
        let ring = try keys.current()
        guard token.utf8.count <= 16_384, let claims = try? ring.claims(of: token, as: .idToken), claims.issuer == issuer,
            let user = claims.subject.flatMap({ UserID($0) }), let audience = claims.audience.first
        else { return nil }
        clientID = audience
        userID = user
        sessionID = claims["sid"]?.stringValue
    }
}

/// Tells a client that one of its sessions is over (OpenID Connect Back-Channel Logout 1.0). The OpenID provider enters it in the transaction
/// that ends the session, or with the end.
package struct BackchannelLogout: Equatable, Sendable {
    /// After that the client's own session is over by itself, or nobody listens.
    package static let life: Duration = .seconds(86_400)

    package let clientID: ClientID
    /// What the client knows the session by; nil to end all of the subject's at the client.
    package let sessionID: String?
    /// What the client knows the user by.
    package let subject: String

    package init(clientID: ClientID, sessionID: String?, subject: String) {
        self.clientID = clientID
        self.sessionID = sessionID
        self.subject = subject
    }

    package func job(_ id: UUID) -> NewJob {
        var payload = JSONObject()
        payload["client"] = .string(clientID.text)
        payload["sid"] = sessionID.map { .string($0) }
        payload["sub"] = .string(subject)
        return NewJob(id: id, .backchannelLogout, payload: payload, life: Self.life)
    }

    /// Nil for what is of another version.
    package init?(_ job: Job) {
        guard let clientID = job.payload["client"]?.stringValue.flatMap({ ClientID($0) }),
            let subject = job.payload["sub"]?.stringValue
        else { return nil }
        self.init(clientID: clientID, sessionID: job.payload["sid"]?.stringValue, subject: subject)
    }
}
