import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `POST /oauth2/par` (RFC 9126): the client sends the request itself, proves who it is, and gives the browser no more than its name.
    struct PushedAuthorization: Endpoint {
        static let path = "/oauth2/par"

        let services: Services

        var path: String { Self.path }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let form = try ClientForm(request)
            return try await ClientGate(services: services).authorizing(request, form, at: path) { client throws(Failure) in
                try await answer(request, form, to: client)
            }
        }

        private func answer(_ request: Request, _ form: ClientForm, to client: Client) async throws(Failure) -> Response {
            let key = try await KeyProof(services: services).key(request, at: path)
            let fields = form.fields.pairs.filter { $0.name != "client_id" } + [(name: "client_id", value: client.id.text)]
            guard form["request_uri"] == nil else { throw .invalidRequest("request_uri may not be pushed") }
            var parameters = AuthorizationParameters(fields)
            if let key { parameters = try parameters.bound(to: Base64URL.encode(key.thumbprint)) }
            switch AuthorizationCheck().check(parameters, client: client) {
            case .shown(let refusal), .redirected(let refusal, to: _): throw Failure(refusal)
            case .accepted: break
            }
            let pushed = services.authorization.pushed
            let name = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                try await pushed.push(parameters, of: client.id)
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("request_uri", name)
            writer.member("expires_in", pushed.life.components.seconds)
            writer.endObject()
            return .json(.created, writer, fields: .notStored)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Push an authorization request (RFC 9126)",
                details: "The parameters are those of `/oauth2/authorize`, which then takes `client_id` and `request_uri` alone.",
                security: [.none, ClientGate.basic],
                body: .required(
                    .form([
                        .required("response_type", .constant("code")), .required("redirect_uri", .url),
                        .optional("code_challenge", .string), .optional("code_challenge_method", .constant("S256")),
                        .optional("scope", .string), .optional("state", .string), .optional("client_id", .string),
                    ])),
                responses: [
                    .json(
                        .created, "The name of the request.",
                        .object([.required("request_uri", .string), .required("expires_in", .integer)])),
                    Failure.documented(.badRequest, "What `/oauth2/authorize` would refuse, in the same words."),
                    Failure.clientDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
