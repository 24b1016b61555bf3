import Crypto
import HTTP
import Identity
import Routing
import Text

/// `POST /oauth2/register` (RFC 7591 §3).
struct RegisterClient: Sendable {
    let services: Services
    let registrations: ClientRegistrations

    func answer(_ request: Request) async throws(OpenID.Failure) -> Response {
        let initial = try Registration.bearer(request)
        guard let permit = registrations.permit(initial) else { throw Registration.unauthorized }
        let metadata = try RegistrationMetadata(request.body)
        guard let id = ClientID("client-" + Hex.encode(registrations.system.random(12))) else { throw .serverError }
        let issuer = services.authorization.issuer
        let (draft, needsSecret) = try metadata.client(
            id, audience: services.authorization.userInfoAudience, before: nil,
            allowsOmittingPKCE: permit.allowsOmittingPKCE)
        let registered = try await Registration.mapIdentityErrors { () throws(IdentityError) in
            try await registrations.register(draft, with: initial, needsSecret: needsSecret, caller: Caller(request))
        }
        return Registration.answer(
            .created, registered.client, secret: registered.secret, token: registered.accessToken.text, issuer: issuer)
    }

    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Register a client (RFC 7591)", details: "With the initial access token of an operator.",
            security: [.bearer("initialAccessToken", "That `kidoban client registration-token` prints.")],
            body: Registration.metadata,
            responses: [
                Registration.registered(
                    .created, "The client, with its secret, and the token by which it looks after its registration."),
                Registration.refused(.badRequest, "`invalid_client_metadata` or `invalid_redirect_uri`, with a description."),
                Registration.refused(.unauthorized, "The token allows nothing, or no more."), OpenID.Failure.limitedDocumented,
            ])
    }
}

/// `GET`, `PUT` and `DELETE /oauth2/register/{id}` (RFC 7592 §2).
struct ManageRegistration: Sendable {
    static let path = "/oauth2/register/{id}"

    let services: Services
    let registrations: ClientRegistrations

    func show(_ request: Request) async throws(OpenID.Failure) -> Response {
        let (client, token) = try await client(request)
        return Registration.answer(.ok, client, secret: nil, token: token, issuer: services.authorization.issuer)
    }

    func replace(_ request: Request) async throws(OpenID.Failure) -> Response {
        let (before, token) = try await client(request)
        let metadata = try RegistrationMetadata(request.body)
        guard metadata.object["client_id"]?.stringValue == before.id.text else {
            throw RegistrationMetadata.invalid("client_id has to be that of the client")
        }
        guard metadata.object["client_secret"].map({ isSecret($0, of: before) }) ?? true else {
            throw RegistrationMetadata.invalid("client_secret has to be that of the client")
        }
        let issuer = services.authorization.issuer
        let (draft, needsSecret) = try metadata.client(
            before.id, audience: services.authorization.userInfoAudience, before: before)
        let (client, secret) = try await Registration.mapIdentityErrors { () throws(IdentityError) in
            try await registrations.replace(draft, needsSecret: needsSecret, caller: Caller(request))
        }
        return Registration.answer(.ok, client, secret: secret, token: token, issuer: issuer)
    }

    func delete(_ request: Request) async throws(OpenID.Failure) -> Response {
        let (client, _) = try await client(request)
        try await Registration.mapIdentityErrors { () throws(IdentityError) in
            try await registrations.delete(client.id, caller: Caller(request))
        }
        return .empty(.noContent, fields: .notStored)
    }

    private func isSecret(_ value: JSONValue, of client: Client) -> Bool {
        guard case .secret(let digest) = client.authentication, let text = value.stringValue else { return false }
        return ClientSecret.digest(of: SecretString(text)).matches(digest)
    }

    private func client(_ request: Request) async throws(OpenID.Failure) -> (Client, SecretString) {
        let token = try Registration.bearer(request)
        guard let id = request.pathParameters.first else { throw Registration.unauthorized }
        let client = try await Registration.mapIdentityErrors { () throws(IdentityError) in
            try await registrations.client(id, token)
        }
        return (client, token)
    }

    static func documentation(_ method: Method) -> RouteDocumentation {
        let (summary, body): (String, DocumentedBody?) =
            switch method {
            case .put: ("Replace a client's registration (RFC 7592)", Registration.metadata)
            case .delete: ("Delete a client's registration (RFC 7592)", nil)
            default: ("Read a client's registration (RFC 7592)", nil)
            }
        return RouteDocumentation(
            summary, security: [.bearer("registrationAccessToken", "That the registration has given.")],
            parameters: [.path("id", .string, "Of the client.")], body: body,
            responses: [
                method == .delete
                    ? .empty(.noContent, "The client is gone.") : Registration.registered(.ok, "The registration."),
                Registration.refused(.badRequest, "`invalid_client_metadata` or `invalid_redirect_uri`, with a description."),
                Registration.refused(.unauthorized, "The token is not this client's."), OpenID.Failure.limitedDocumented,
            ])
    }
}
