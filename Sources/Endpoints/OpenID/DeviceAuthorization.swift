import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// `POST /oauth2/device_authorization` (RFC 8628 §3.1): a device without a browser asks for a code that its user types elsewhere.
    struct DeviceAuthorization: Endpoint {
        static let path = "/oauth2/device_authorization"
        /// The page on which the user types it.
        static let page = "/device"

        let services: Services

        var path: String { Self.path }

        func answer(_ request: Request) async throws(Failure) -> Response {
            let form = try ClientForm(request)
            return try await ClientGate(services: services).authorizing(request, form, at: path) { client throws(Failure) in
                try await answer(request, form, to: client)
            }
        }

        private func answer(_ request: Request, _ form: ClientForm, to client: Client) async throws(Failure) -> Response {
            guard client.grantTypes.contains(.deviceCode) else { throw .unauthorizedClient }
            let key = try await KeyProof(services: services).key(request, at: path)
            let scopes = try form.scopes() ?? []
            guard scopes.allSatisfy({ client.mayHave(scope: $0) }) else {
                throw .invalidScope("the client may not ask for such a scope")
            }
            guard form.resources.allSatisfy({ client.mayHave(resource: $0) }) else { throw .invalidTarget }
            let server = services.authorization
            let issued = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await server.devices.issue(
                    DeviceRequest(
                        clientID: client.id, scopes: scopes, resources: form.resources,
                        dpopThumbprint: key.map { Base64URL.encode($0.thumbprint) }))
            }
            let page = server.issuer + Self.page
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("device_code", issued.deviceCode.revealedText)
            writer.member("user_code", issued.userCode.description)
            writer.member("verification_uri", page)
            writer.member("verification_uri_complete", "\(page)?user_code=\(issued.userCode)")
            writer.member("expires_in", issued.life.components.seconds)
            writer.member("interval", DeviceCodes.interval.components.seconds)
            writer.endObject()
            return .json(.ok, writer, fields: .notStored)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Ask for a code that a user types on another device (RFC 8628)", security: [.none, ClientGate.basic],
                body: .required(
                    .form([.optional("client_id", .string), .optional("scope", .string), .optional("resource", .string)])),
                responses: [
                    .json(
                        .ok, "The code of the device, and that of the user.",
                        .object([
                            .required("device_code", .string), .required("user_code", .string),
                            .required("verification_uri", .url),
                            .required("verification_uri_complete", .url), .required("expires_in", .integer),
                            .required("interval", .integer),
                        ])),
                    Failure.documented(
                        .badRequest, "`invalid_request`, `unauthorized_client`, `invalid_scope`, `invalid_target`."),
                    Failure.clientDocumented, Failure.limitedDocumented,
                ])
        }
    }
}
