import Crypto
import HTTP
import JOSE
import Networking
import Routing
import Text

/// What the issuer for development answers: its key set, id tokens for whatever claims somebody posts, the code flow, and other keys on request.
struct DevIssuerRoutes: Sendable {
    let keys: DevIssuerKeys
    let codes = DevIssuerCodes()
    /// For the making of keys.
    let pool: BlockingPool
    /// Its own address, which is not known before it listens.
    let url: @Sendable () -> String
    let now: @Sendable () -> Timestamp

    func make() -> RouteGroup {
        var routes = [
            Route(.get, "/", documentation: RouteDocumentation("What this is", responses: [])) { _ in
                .text(.ok, DevIssuerPage.help + "\n")
            },
            Route(.get, "/keys", documentation: RouteDocumentation("The key set", responses: [])) { _ in keySet() },
            Route(.post, "/keys/rotate", documentation: RouteDocumentation("Other keys", responses: [])) { await rotate($0) },
        ]
        for kind in DevIssuerClaims.allCases {
            let path = kind == .plain ? "/tokens" : "/tokens/\(kind.rawValue)"
            routes.append(
                Route(.post, path, accepts: .json, documentation: RouteDocumentation("A signed token", responses: [])) {
                    token(kind, $0)
                })
            routes += codeFlow(kind)
        }
        return RouteGroup(
            name: "dev-issuer", routes: routes, documentation: .plainText("Development and tests."), failure: Router.plainText)
    }

    /// Where somebody signs in as whoever they like, where the code is exchanged, and where tokens are revoked, which needs nothing here.
    private func codeFlow(_ kind: DevIssuerClaims) -> [Route] {
        let authorization = DevIssuerAuthorization(kind: kind, codes: codes, now: now)
        let exchange = DevIssuerExchange(kind: kind, keys: keys, codes: codes, url: url, now: now)
        return [
            Route(.get, kind.base + "/authorize", documentation: RouteDocumentation("A form to sign in", responses: [])) {
                authorization.show($0)
            },
            Route(
                .post, kind.base + "/authorize", accepts: .form, documentation: RouteDocumentation("Signs in", responses: [])
            ) { authorization.decide($0) },
            Route(
                .post, kind.base + "/token", accepts: .form, documentation: RouteDocumentation("Tokens for a code", responses: [])
            ) { exchange.answer($0) },
            Route(
                .post, kind.base + "/revoke", accepts: .form, documentation: RouteDocumentation("Revokes a token", responses: [])
            ) { _ in .empty(.ok) },
        ]
    }

    private func keySet() -> Response {
        .json(.ok, keys.published.rendered, fields: ["Cache-Control": "public, max-age=3600"])
    }

    /// `POST /keys/rotate`, and `?forget=true` to publish the new keys only.
    private func rotate(_ request: Request) async -> Response {
        guard let query = try? FormFields(parsing: request.head.queryBytes) else { return Self.refusal("the query is no form") }
        do throws(BlockingPool.Overloaded) {
            try await keys.rotate(forgetting: query.value("forget") == "true", on: pool)
            return keySet()
        } catch {
            return .text(.serviceUnavailable, "keys are being made already\n")
        }
    }

    /// `POST /tokens`, `/tokens/apple`, `/tokens/google`: JSON claims in, `{"id_token": "…"}` out; `?alg=ES256` for another signature.
    private func token(_ kind: DevIssuerClaims, _ request: Request) -> Response {
        guard let query = try? FormFields(parsing: request.head.queryBytes) else { return Self.refusal("the query is no form") }
        guard let algorithm = SignatureAlgorithm(rawValue: query.value("alg") ?? "RS256"), let key = keys.key(for: algorithm)
        else {
            return Self.refusal("alg is not RS256 or ES256")
        }
        guard let given = request.body.isEmpty ? JSONObject() : (try? JSON.parse(request.body))?.objectValue else {
            return Self.refusal("the body is not a JSON object of claims")
        }
        let claims = kind.claims(changedBy: given, issuer: url(), now: now(), random: SecureRandom.bytes(16))
        guard let token = try? JWSSigner(key: key, type: kind.type).sign(JSONValue.object(claims).serialized) else {
            return .text(.internalServerError, "OpenSSL could not sign\n")
        }
        var writer = JSONWriter(capacity: token.utf8.count + 32)
        writer.beginObject()
        writer.member("id_token", token)
        writer.endObject()
        return .json(.ok, writer, fields: ["Cache-Control": "no-store"])
    }

    private static func refusal(_ text: String) -> Response {
        .text(.badRequest, text + "\n")
    }
}

/// What the issuer for development says of itself.
enum DevIssuerPage {
    static let help = """
        It believes whoever asks, so it listens on this machine only, and not where KIDOBAN_ISSUER is public. It answers:

          GET  /keys             the key set, for KIDOBAN_APPLE_JWKS_URL and the like
          POST /tokens/apple     {"id_token": "…"} as Apple's are, with the claims of the JSON object in the body: such as {},
                                 {"sub": "someone-else", "nonce": "…"}, or {"email": null} to leave one out
          POST /tokens/google    the same as Google's are
          POST /tokens           the same with few claims
          POST /keys/rotate      other keys sign from now on; ?forget=true to publish only them
          GET  /apple/authorize  a form that signs in as anybody, and leads back with a code: for KIDOBAN_APPLE_AUTHORIZE_URL
          POST /apple/token      an id token for the code, for KIDOBAN_APPLE_TOKEN_URL; /apple/revoke takes any token back
               /google/…         the same for Google, with PKCE; bare, /authorize, /token and /revoke

        Their issuers are its address with /apple, with /google, and bare. ?alg=ES256 signs so instead of RS256.
        """

    /// - Parameter content: markup; whatever text is in it is escaped already.
    static func html(_ title: String, _ content: String) -> Response {
        let text = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>\
            <meta name="viewport" content="width=device-width,initial-scale=1">\
            <style>:root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:27rem;margin:0 auto;padding:1.25rem}\
            label{display:block;margin:.75rem 0}input:not([type=checkbox]){display:block;font:inherit;width:100%;box-sizing:border-box}\
            button{font:inherit;padding:.5rem 1rem}code{overflow-wrap:anywhere}</style></head>\
            <body><main><h1>\(title)</h1>\(content)</main></body></html>
            """
        return Response(
            .ok, contentType: "text/html; charset=utf-8", fields: ["Cache-Control": "no-store"], body: Array(text.utf8))
    }
}
