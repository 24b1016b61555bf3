import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `POST /oauth2/token` (RFC 6749 §3.2): the form, the client, its key, and then what the grant type says, each in a file of its own.
    struct Token: Endpoint {
        static let path = "/oauth2/token"
        /// Those that are offered.
        static let grants = GrantType.allCases

        let services: Services

        var path: String { Self.path }

        /// Only what fails by the client's fault counts for its address in the end.
        func answer(_ request: Request) async throws(Failure) -> Response {
            let (limits, caller) = (services.authorization.limits, Caller(request))
            let ticket = try await Failure.mapIdentityErrors { () throws(IdentityError) in try await limits.takeToken(caller) }
            let response: Response
            do throws(Failure) {
                response = try await tokens(request, caller)
            } catch {
                if error.isNobodysFault { await limits.giveBack(ticket, caller) }
                throw error
            }
            await limits.giveBack(ticket, caller)
            return response
        }

        private func tokens(_ request: Request, _ caller: Caller) async throws(Failure) -> Response {
            let form = try ClientForm(request)
            return try await ClientGate(services: services).proving(request, form, at: path) { client throws(Failure) in
                try await tokens(request, form, client, caller)
            }
        }

        private func tokens(
            _ request: Request, _ form: ClientForm, _ client: Client, _ caller: Caller
        ) async throws(Failure) -> Response {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.authorization.limits.takeToken(of: client.id, caller)
            }
            let key = try await KeyProof(services: services).key(request, at: path)
            guard key != nil || !client.requiresDPoP else { throw .invalidRequest("the client must send a DPoP proof") }
            let token = TokenRequest(request: request, form: form, client: client, confirmation: key)
            let type = try form.required("grant_type")
            guard let grant = GrantType(rawValue: type) else { throw .unsupportedGrantType }
            try token.require(grant)
            let answer: TokenAnswer
            switch grant {
            case .authorizationCode: answer = try await CodeGrant(services: services).tokens(token)
            case .refreshToken: answer = try await RefreshGrant(services: services).tokens(token)
            case .clientCredentials: answer = try await ClientCredentialsGrant(services: services).tokens(token)
            case .deviceCode: answer = try await DeviceGrant(services: services).tokens(token)
            case .tokenExchange: answer = try await ExchangeGrant(services: services).tokens(token)
            case .jwtBearer: answer = try await AssertionGrant(services: services).tokens(token)
            }
            return answer.response
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Get tokens (RFC 6749 §3.2)",
                details: "Public clients name themselves by `client_id`. Clients with keys send `client_assertion` (RFC 7523).",
                security: [.none, ClientGate.basic],
                body: .required(
                    .form([
                        .required("grant_type", .choice(GrantType.allCases.map(\.rawValue))), .optional("code", .string),
                        .optional("redirect_uri", .string), .optional("code_verifier", .string),
                        .optional("refresh_token", .string), .optional("scope", .string), .optional("resource", .string),
                        .optional("device_code", .string), .optional("assertion", .string),
                        .optional("subject_token", .string), .optional("subject_token_type", .string),
                        .optional("requested_token_type", .string), .optional("audience", .string),
                        .optional("client_id", .string), .optional("client_secret", .password),
                        .optional("client_assertion_type", .string), .optional("client_assertion", .string),
                    ])),
                responses: [
                    .json(.ok, "The tokens.", TokenAnswer.schema),
                    Failure.documented(
                        .badRequest,
                        "`invalid_request`, `invalid_grant`, `unauthorized_client`, `unsupported_grant_type`, `invalid_scope`, `invalid_target`, `authorization_pending` and the like."
                    ), Failure.clientDocumented, Failure.limitedDocumented,
                ])
        }
    }

    /// Finds out which client asks, in the words of this API.
    struct ClientGate: Sendable {
        let services: Services

        /// Answers the client. What has proved it is good once more if we fail.
        /// - Throws: `invalid_client`, `invalid_request`; 503 when a store is away; what `rule` throws.
        func proving(
            _ request: Request, _ form: ClientForm, at endpoint: String, _ rule: (Client) async throws(Failure) -> Response
        ) async throws(Failure) -> Response {
            let (authenticator, proved) = (ClientAuthenticator(services: services), try await client(request, form, at: endpoint))
            do throws(Failure) {
                return try await rule(proved.entry.client)
            } catch {
                if error.status.code >= 500 { await authenticator.giveBack(proved) }
                throw error
            }
        }

        private func client(_ request: Request, _ form: ClientForm, at endpoint: String) async throws(Failure) -> ProvedClient {
            do throws(ClientAuthenticator.Refusal) {
                return try await ClientAuthenticator(services: services).client(request, form.fields, at: endpoint)
            } catch {
                switch error {
                case .twoWays: throw .invalidRequest("the client authenticates in two ways")
                case .identity(let error): throw Failure(error)
                }
            }
        }

        /// The same where an authorization is asked for, which is counted first.
        func authorizing(
            _ request: Request, _ form: ClientForm, at endpoint: String, _ rule: (Client) async throws(Failure) -> Response
        ) async throws(Failure) -> Response {
            let (limits, caller) = (services.authorization.limits, Caller(request))
            try await Failure.mapIdentityErrors { () throws(IdentityError) in try await limits.takeAuthorization(caller) }
            return try await proving(request, form, at: endpoint) { client throws(Failure) in
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await limits.takeAuthorization(of: client.id, caller)
                }
                return try await rule(client)
            }
        }

        static let basic = SecurityScheme.basic(
            "client", "The id and the secret of a client; both may also be in the form as `client_id` and `client_secret`.")
    }
}
