import HTTP
package import Identity
package import Routing
import Text

/// Dynamic client registration (RFC 7591, RFC 7592, OpenID Connect Dynamic Client Registration 1.0): closed to everybody who has no initial
/// access token of an operator's (`kidoban client registration-token`).
package enum Registration {
    package static let name = "registration"
    static let path = "/oauth2/register"

    package static func make(_ services: Services, _ registrations: ClientRegistrations) -> RouteGroup {
        let manage = ManageRegistration(services: services, registrations: registrations)
        let register = RegisterClient(services: services, registrations: registrations)
        return RouteGroup(
            name: name,
            routes: [
                route(.post, path, .json, RegisterClient.documentation, services, register.answer),
                route(.get, ManageRegistration.path, .none, ManageRegistration.documentation(.get), services, manage.show),
                route(.put, ManageRegistration.path, .json, ManageRegistration.documentation(.put), services, manage.replace),
                route(
                    .delete, ManageRegistration.path, .none, ManageRegistration.documentation(.delete), services, manage.delete),
            ],
            documentation: OpenID.Failure.documentation, failure: { failure, _ in OpenID.Failure(failure).response })
    }

    private static func route(
        _ method: Method, _ path: String, _ accepts: AcceptedContent, _ documentation: RouteDocumentation, _ services: Services,
        _ answer: @escaping @Sendable (Request) async throws(OpenID.Failure) -> Response
    ) -> Route {
        Route(
            method, path, accepts: accepts, documentation: documentation,
            handler: LimitFields.telling { request in
                do throws(OpenID.Failure) {
                    // Whatever token comes along, PostgreSQL is asked for it.
                    try await OpenID.Failure.mapIdentityErrors { () throws(IdentityError) in
                        try await services.authorization.limits.takeAuthorization(Caller(request))
                    }
                    return try await answer(request)
                } catch {
                    return error.response
                }
            })
    }

    /// The token of the request (RFC 6750 §2.1).
    static func bearer(_ request: Request) throws(OpenID.Failure) -> SecretString {
        guard !request.head.values(of: .authorization).isEmpty else { throw noToken }
        guard let authorization = try? Authorization.parse(request.head), case .bearer(let token) = authorization else {
            throw unauthorized
        }
        return token
    }

    /// The challenge has no error code: nothing has gone wrong yet (RFC 6750 §3.1).
    private static let noToken = OpenID.Failure(
        .unauthorized, "invalid_token", "the token is missing",
        fields: ResponseFields.notStored.appending("WWW-Authenticate", "Bearer realm=\"kidoban\""))

    static let unauthorized = OpenID.Failure(
        .unauthorized, "invalid_token", "the token allows nothing, or no more",
        fields: ResponseFields.notStored.appending("WWW-Authenticate", "Bearer realm=\"kidoban\", error=\"invalid_token\""))

    /// As `OpenID.Failure.mapIdentityErrors`; a token that is not the right one has its challenge (RFC 6750 §3).
    static func mapIdentityErrors<T>(_ rule: () async throws(IdentityError) -> T) async throws(OpenID.Failure) -> T {
        do throws(IdentityError) {
            return try await rule()
        } catch .invalidToken {
            throw unauthorized
        } catch {
            throw OpenID.Failure(error)
        }
    }

    /// The columns that are metadata of RFC 7591 §2 and of OpenID Connect, by the same names. What else is stored is not for the client.
    private static let metadataNames = [
        "grant_types", "response_types", "token_endpoint_auth_method", "jwks", "jwks_uri", "redirect_uris",
        "post_logout_redirect_uris", "frontchannel_logout_uri", "frontchannel_logout_session_required", "backchannel_logout_uri",
        "backchannel_logout_session_required", "require_pkce", "dpop_bound_access_tokens", "id_token_signed_response_alg",
        "userinfo_signed_response_alg", "client_uri", "logo_uri", "policy_uri", "tos_uri", "contacts",
    ]

    /// What the client is told of itself (RFC 7591 §3.2.1, RFC 7592 §3).
    static func answer(
        _ status: Status, _ client: Client, secret: ClientSecret?, token: SecretString, issuer: String
    ) -> Response {
        let columns = client.columns
        var object = JSONObject()
        for name in metadataNames { object[name] = columns[name] }
        object["client_id"] = .string(client.id.text)
        object["client_name"] = .string(client.name)
        object["application_type"] = .string(client.kind.applicationType)
        object["scope"] = client.scope.map { .string($0) }
        if let secret {
            object["client_secret"] = .string(secret.text.revealedText)
            object["client_secret_expires_at"] = 0
        }
        object["registration_access_token"] = .string(token.revealedText)
        object["registration_client_uri"] = .string("\(issuer)\(path)/\(client.id.text)")
        return .json(status, JSONValue.object(object).serialized, fields: .notStored)
    }

    /// An answer that is the client as it is registered now.
    static func registered(_ status: Status, _ meaning: String) -> DocumentedResponse {
        let own: [Routing.Schema.Member] = [
            .required("client_id", .string), .required("client_name", .string), .optional("client_secret", .string),
            .optional("client_secret_expires_at", .integer), .required("registration_access_token", .string),
            .required("registration_client_uri", .url),
        ]
        return .json(status, meaning, .object(own + members).withFurtherMembers)
    }

    static let metadata = DocumentedBody.required(
        .object(members + [.optional("client_name", .string)]).withFurtherMembers)

    /// The more usual ones of RFC 7591 §2.
    private static let members: [Routing.Schema.Member] = [
        .optional("redirect_uris", .array(of: .string)), .optional("grant_types", .array(of: .string)),
        .optional("response_types", .array(of: .string)), .optional("application_type", .choice(["web", "native"])),
        .optional("token_endpoint_auth_method", .string), .optional("scope", .string), .optional("jwks_uri", .url),
        .optional("post_logout_redirect_uris", .array(of: .string)), .optional("backchannel_logout_uri", .url),
        .optional("frontchannel_logout_uri", .url), .optional("dpop_bound_access_tokens", .boolean),
    ]

    static func refused(_ status: Status, _ meaning: String) -> DocumentedResponse {
        .json(status, meaning, OpenID.Failure.documentation.failure)
    }
}
