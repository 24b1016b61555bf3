package import Crypto
import JOSE
package import Text

/// What an id token says (OpenID Connect Core 1.0 §2).
package struct IDTokenContent: Sendable {
    package let session: Session
    /// The session of the browser, of whose end the client is told; nil where it is not known. What offline access has for itself is none.
    package let sessionID: SessionID?
    package let nonce: String?
    package let accessToken: SecretString?
    /// Of the user, where the client has asked for them here.
    package let claims: JSONObject

    package init(
        session: Session, sessionID: SessionID?, nonce: String? = nil, accessToken: SecretString? = nil,
        claims: JSONObject = JSONObject()
    ) {
        self.session = session
        self.sessionID = sessionID
        self.nonce = nonce
        self.accessToken = accessToken
        self.claims = claims
    }
}

/// Makes id tokens, and reads those that come back as hints.
package struct IDTokenIssuer: Sendable {
    /// What `acr` says of sign-ins (OpenID Connect Core 1.0 §2): by one factor, by several.
    package static let contextClasses = ["1", "2"]

    package let issuer: String
    private let life: Duration
    private let keys: LoopSlot<KeyRing?>
    private let system: SystemContext

    package init(issuer: String, life: Duration, keys: LoopSlot<KeyRing?>, system: SystemContext) {
        self.issuer = issuer
        self.life = life
        self.keys = keys
        self.system = system
    }

    static func contextClass(of methods: Set<AuthenticationMethod>) -> String {
        methods.contains(.multipleFactors) ? contextClasses[1] : contextClasses[0]
    }

    /// - Throws: `IdentityError.unavailable` while there is no key; `internalFault` when signing fails.
    package func token(_ content: IDTokenContent, for client: Client) throws(IdentityError) -> SecretString {
        let (now, session) = (system.now(), content.session)
        var claims = JSONObject()
        claims["iss"] = .string(issuer)
        claims["sub"] = .string(session.userID.description)
        claims["aud"] = .string(client.id.text)
        claims["exp"] = .integer(now.adding(life).seconds)
        claims["iat"] = .integer(now.seconds)
        claims["auth_time"] = .integer(session.authenticatedAt.seconds)
        claims["nonce"] = content.nonce.map { .string($0) }
        claims["acr"] = .string(Self.contextClass(of: session.methods))
        if !session.methods.isEmpty { claims["amr"] = .array(session.methods.sorted().map { .string($0.text) }) }
        claims["at_hash"] = content.accessToken.map { .string(Self.hash($0)) }
        claims["sid"] = content.sessionID.map { .string($0.text) }
        for member in content.claims.members where claims[member.key] == nil { claims[member.key] = member.value }
        return try keys.current().sign(claims, type: .idToken, algorithm: client.idTokenAlgorithm)
    }

    /// Claims about a user, signed (OpenID Connect Core 1.0 §5.3.2).
    /// - Throws: as `token`.
    package func userInfo(_ claims: JSONObject, for client: ClientID, algorithm: SignatureAlgorithm) throws(IdentityError)
        -> SecretString
    {
        var claims = claims
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(client.text)
        return try keys.current().sign(claims, type: .userInfo, algorithm: algorithm)
    }

    /// The user of one of our id tokens, whether or not it has expired; nil for anything else.
    /// - Throws: `IdentityError.unavailable` while there are no keys.
    package func user(ofHint token: String) throws(IdentityError) -> UserID? {
        let ring = try keys.current()
        guard let claims = try? ring.claims(of: token, as: .idToken), claims.issuer == issuer else { return nil }
        return claims.subject.flatMap { UserID($0) }
    }

    /// The left half of the SHA-256, which both of our algorithms use (OpenID Connect Core 1.0 §3.1.3.6).
    private static func hash(_ accessToken: SecretString) -> String {
        Base64URL.encode(Array(SHA256.hash(accessToken.revealedText).bytes.prefix(16)))
    }
}
