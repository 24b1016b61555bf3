import Outbound
import Text

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
