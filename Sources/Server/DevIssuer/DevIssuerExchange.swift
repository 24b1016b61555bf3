import Crypto
import HTTP
import JOSE
import Routing
import Text

/// The token endpoint of the issuer for development: it gives an id token for a code (OpenID Connect Core 1.0 §3.1.3).
struct DevIssuerExchange: Sendable {
    let kind: DevIssuerClaims
    let keys: DevIssuerKeys
    let codes: DevIssuerCodes
    let url: @Sendable () -> String
    let now: @Sendable () -> Timestamp

    /// `POST …/token`
    func answer(_ request: Request) -> Response {
        guard let form = try? FormFields(parsing: request.body) else { return Self.refusal("invalid_request") }
        guard form.value("grant_type") == "authorization_code" else { return Self.refusal("unsupported_grant_type") }
        guard let clientID = form.value("client_id"), let secret = form.value("client_secret"), accepts(secret, of: clientID)
        else {
            return Self.refusal("invalid_client")
        }
        // Whatever is wrong besides, the code is used up.
        guard let grant = form.value("code").flatMap({ codes.take($0, now: now()) }), grant.kind == kind,
            grant.clientID == clientID, grant.redirectURI == form.value("redirect_uri"),
            Self.holds(form.value("code_verifier"), grant.challenge)
        else { return Self.refusal("invalid_grant") }
        return tokens(for: grant)
    }

    /// Apple's secrets are JWTs that a team signs for a client; the signature is not looked at, because anybody is believed here.
    private func accepts(_ secret: String, of clientID: String) -> Bool {
        guard kind == .apple else { return !secret.isEmpty }
        guard (try? UnverifiedJWS.parse(secret))?.header.algorithm == .es256 else { return false }
        let payload = secret.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0) }
        guard let claims = payload.flatMap({ try? JSON.parse($0) }) else { return false }
        return claims["sub"]?.stringValue == clientID && claims["aud"]?.stringValue == "https://appleid.apple.com"
    }

    /// RFC 7636 §4.6. A verifier without a challenge is refused too, so that nobody can leave the challenge out unseen (RFC 9700 §4.8.2).
    private static func holds(_ verifier: String?, _ challenge: String?) -> Bool {
        switch (verifier, challenge) {
        case (nil, nil): true
        case (let verifier?, let challenge?): Base64URL.encode(SHA256.hash(verifier).bytes) == challenge
        case (nil, _?), (_?, nil): false
        }
    }

    private func tokens(for grant: DevIssuerGrant) -> Response {
        let accessToken = Base64URL.encode(SecureRandom.bytes(32))
        var changes = grant.claims
        changes["at_hash"] = .string(Base64URL.encode(Array(SHA256.hash(accessToken).bytes.prefix(16))))
        let claims = kind.claims(changedBy: changes, issuer: url(), now: now(), random: SecureRandom.bytes(16))
        guard let key = keys.key(for: .rs256),
            let token = try? JWSSigner(key: key, type: kind.type).sign(JSONValue.object(claims).serialized)
        else { return .text(.internalServerError, "OpenSSL could not sign\n") }
        var answer = JSONObject()
        answer["access_token"] = .string(accessToken)
        answer["token_type"] = "Bearer"
        answer["expires_in"] = 3600
        // Apple always gives one; Google, only to who asks for lasting access.
        if kind == .apple { answer["refresh_token"] = .string(Base64URL.encode(SecureRandom.bytes(32))) }
        answer["id_token"] = .string(token)
        return .json(.ok, JSONValue.object(answer).serialized, fields: ["Cache-Control": "no-store"])
    }

    /// RFC 6749 §5.2.
    private static func refusal(_ code: String) -> Response {
        let answer: JSONValue = ["error": .string(code)]
        return .json(.badRequest, answer.serialized, fields: ["Cache-Control": "no-store"])
    }
}
