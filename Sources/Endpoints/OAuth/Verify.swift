import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// `/oauth2/verify`: may this request pass? For gateways, which read a status and fields, and no JSON: 204 or 200, 401, 403, 503, and never
    /// anything else, because to some of them any other status is an outage and to some it is a yes. Bytes that are no HTTP have no path, so
    /// they get the server's 400, 414 or 431.
    struct Verify: Sendable {
        static let path = "/oauth2/verify"
        /// For gateways that append the path of the request.
        static let rest = path + "/{path...}"
        /// HEAD is asked like GET.
        static let methods: [Method] = [.get, .post, .put, .patch, .delete, .options]

        let services: Services
        let authentication: ClientAuthentication
        let options: Options

        /// - Parameter hasQuery: whether the query is the gateway's.
        func answer(_ request: Request, hasQuery: Bool) async -> Response {
            guard let asked = VerifyRequest(request.head, hasQuery: hasQuery) else { return Self.forbidden() }
            do throws(IdentityError) {
                // Who may not ask is told so even where there is nothing to look at.
                guard let caller = try await caller(request, asked), caller.client.mayIntrospect else { return Self.forbidden() }
                let verdict: AccessVerdict
                switch presented(request.head) {
                case .nothing: return Self.unauthorized(nil)
                case .malformed: return Self.unauthorized("invalid_token")
                case .several: return Self.unauthorized("invalid_request")
                case .token(let token):
                    verdict = try await services.introspection.verify(token, asked.requirement, for: caller)
                case .cookie(let cookie):
                    verdict = try await services.introspection.verify(cookie: cookie, asked.requirement, for: caller)
                }
                switch verdict {
                case .passes(let facts): return Response(asked.status, fields: Self.fields(facts))
                case .unknown: return Self.unauthorized("invalid_token")
                case .lacksScope: return Self.forbidden(lacking: asked.requirement.scopes.joined(separator: " "))
                case .lacksRole: return Self.forbidden(lacking: "")
                }
            } catch .invalidClient {
                return Self.forbidden()
            } catch .clientNotPermitted {
                return Self.forbidden()
            } catch {
                return Self.unavailable(error)
            }
        }

        /// Which client asks: who is in one of the networks that are taken for one is that one, whatever the request says, because its fields
        /// may be those of the request that is verified. Nil for nobody.
        /// - Throws: `IdentityError.invalidClient`, `unavailable`, `tooManyRequests`.
        private func caller(
            _ request: Request, _ asked: VerifyRequest
        ) async throws(IdentityError) -> ClientRegistry.Entry? {
            if let id = options.verifyNetworks.client(at: request.origin.client) {
                return try await services.clients.client(id.text)
            }
            guard asked.credentials.count == 1 else { return nil }
            let digest = CredentialDigest(of: asked.credentials[0].utf8.span)
            if let entry = await services.clients.recognise(digest) { return entry }
            guard let basic = Authorization.basic(in: asked.credentials[0]) else { return nil }
            do throws(IdentityError) {
                return try await services.clients.authenticate(basic.id, secret: basic.secret, as: digest)
            } catch {
                if error == .invalidClient { await services.clientRefusals.note(basic.id, Caller(request)) }
                throw error
            }
        }

        private enum Presented {
            case nothing
            case malformed
            /// RFC 6750 §3.1: more than one way to say who comes.
            case several
            case token(SecretString)
            case cookie(SecretString)
        }

        private func presented(_ head: RequestHead) -> Presented {
            let cookies = options.verifiedCookie.map { RequestCookies.values(named: $0, in: head) } ?? []
            let cookie = cookies.first { PresentedSessionCookie($0) != nil }
            do throws(AuthorizationError) {
                guard case .bearer(let token)? = try Authorization.parse(head) else {
                    // Basic credentials are another server's.
                    return cookie.map { .cookie($0) } ?? .nothing
                }
                return cookie == nil ? .token(token) : .several
            } catch {
                switch error {
                case .repeated, .combined: return .several
                case .unsupportedScheme: return cookie.map { .cookie($0) } ?? .nothing
                case .tooLong, .malformed: return .malformed
                }
            }
        }
    }
}

/// The answers.
extension OAuth.Verify {
    private static let names: [(VerifiedFacts.Fact, ResponseFields.Name)] = [
        (.subject, ResponseFields.Name("X-Auth-Subject")), (.session, ResponseFields.Name("X-Auth-Session")),
        (.client, ResponseFields.Name("X-Auth-Client")), (.scope, ResponseFields.Name("X-Auth-Scope")),
        (.email, ResponseFields.Name("X-Auth-Email")), (.isEmailVerified, ResponseFields.Name("X-Auth-Email-Verified")),
    ]

    private static func fields(_ facts: VerifiedFacts) -> ResponseFields {
        var fields = ResponseFields.notStored
        fields.reserve(400)
        for (fact, name) in names { fields.append(name) { facts.write(fact, to: &$0) } }
        return fields
    }

    /// - Parameter error: none where there were no credentials (RFC 6750 §3.1).
    private static func unauthorized(_ error: StaticString?) -> Response {
        let challenge = "Bearer realm=\"kidoban\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return .empty(.unauthorized, fields: ResponseFields.notStored.appending("WWW-Authenticate", challenge))
    }

    /// Whoever comes lacks something, and a new token would not help.
    /// - Parameter scope: what there would have to be; empty if it is something else.
    private static func forbidden(lacking scope: String) -> Response {
        var challenge = "Bearer realm=\"kidoban\", error=\"insufficient_scope\""
        if !scope.isEmpty { challenge += ", scope=\"\(scope)\"" }
        return .empty(.forbidden, fields: ResponseFields.notStored.appending("WWW-Authenticate", challenge))
    }

    /// It is the gateway that is not right. Not 401, for which an app would sign its user out.
    private static func forbidden() -> Response {
        .empty(.forbidden, fields: .notStored)
    }

    /// Nobody can tell.
    private static func unavailable(_ error: IdentityError) -> Response {
        switch error {
        case .service(.unavailable(let delay)), .service(.overloaded(let delay)), .service(.tooManyRequests(let delay)):
            OAuth.Failure.unavailable(retryAfter: delay).response
        default: OAuth.Failure.unavailable(retryAfter: .seconds(1)).response
        }
    }

    /// Whether a request is about this, by its path.
    static func covers(_ head: RequestHead) -> Bool {
        let path = head.path
        return path == Self.path || path.hasPrefix(Self.path + "/")
    }

    /// What goes wrong before it is asked.
    static func response(to failure: RequestFailure) -> Response {
        switch failure {
        case .unavailable(let delay): OAuth.Failure.unavailable(retryAfter: delay).response
        case .internalError: OAuth.Failure.unavailable(retryAfter: .seconds(1)).response
        case .notFound, .methodNotAllowed, .unsupportedMediaType, .payloadTooLarge, .malformed, .timeout:
            unauthorized("invalid_request")
        }
    }

    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "May this request pass? For gateways",
            details:
                "`Authorization` is that of the request that the gateway has verified. The gateway itself is a client that may introspect: "
                + "it proves that in `X-Verify-Authorization`, in the form of HTTP Basic, or comes from a network of `KIDOBAN_VERIFY_FROM`. "
                + "Each requirement may also be in a field, as `X-Verify-Scope`. Values of the answer have everything but visible ASCII, and `%`, "
                + "percent-encoded.",
            security: [.none, .accessToken],
            parameters: [
                .header("X-Verify-Authorization", .string, "`Basic`, and the id and the secret of the client."),
                .query("scope", .string, "What the token has to be good for, with blanks between."),
                .query("audience", .string, "Whom the token has to be for."),
                .query("role", .string, "Which roles the token has to name."),
                .query("status", .choice(["200", "204"]), "That of the answer that lets the request pass."),
            ], responses: responses)
    }

    static var documentationOfRest: RouteDocumentation {
        RouteDocumentation(
            "The same for gateways that append the path and the query of the request, as Envoy does",
            details:
                "Requirements are in fields only: `X-Verify-Scope`, `X-Verify-Audience`, `X-Verify-Role` and `X-Verify-Status`. Without "
                + "any of these, a query with one of the names `scope`, `audience`, `role` and `status` gets 403.",
            security: [.none, .accessToken],
            parameters: [
                .path("path", .string, "Not looked at."),
                .header("X-Verify-Authorization", .string, "`Basic`, and the id and the secret of the client."),
            ], responses: responses)
    }

    private static var responses: [DocumentedResponse] {
        let fields = [
            ("X-Auth-Subject", "The user; of a client's own token, the client."), ("X-Auth-Session", "The session."),
            ("X-Auth-Client", "The client that the token was issued to."), ("X-Auth-Scope", "What the token is good for."),
            ("X-Auth-Email", "The user's e-mail address."), ("X-Auth-Email-Verified", "Whether it is known to be the user's."),
        ]
        return [
            .empty(.noContent, "It may.", fields: fields), .empty(.ok, "The same, if asked for.", fields: fields),
            .empty(.unauthorized, "It has no access token, or one that is not good."),
            .empty(.forbidden, "The token lacks a scope or a role; or, without `WWW-Authenticate`, the gateway is not known."),
        ]
    }
}
