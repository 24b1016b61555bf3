import HTTP
import Identity
package import Routing
import Text

/// Firebase Authentication's API, as its SDKs speak it to the Auth Emulator: the real host's name is the first part of the path.
package enum IdentityToolkit {
    /// What the routes of newer SDKs, of iOS and Android, and of refreshing start with.
    enum Host {
        static let toolkit = "/identitytoolkit.googleapis.com"
        static let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
        static let token = "/securetoken.googleapis.com"
        static let keys = "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    }

    /// - Parameter prefix: what stands before the hosts; empty for none.
    package static func make(_ services: Services, _ api: Parts, prefix: String) -> RouteGroup {
        let core = Core(services, api)
        let sharing = Sharing(services.pages, isEmulator: api.options.isEmulator)
        var routes = core.endpoints.flatMap { endpoint in
            endpoint.paths.map { path in route(endpoint, path, core, sharing) }
        }
        routes += core.pageRoutes
        return RouteGroup(
            name: "identity-toolkit", prefix: prefix, routes: routes + sharing.preflights(of: routes),
            documentation: RouteGroupDocumentation(
                "For apps and servers that were made for Firebase Authentication.", failure: Failure.schema),
            failure: { failure, head in sharing.sharing(Failure(failure).response, with: head) })
    }

    private static func route(_ endpoint: Endpoint, _ path: String, _ core: Core, _ sharing: Sharing) -> Route {
        Route(
            endpoint.method, path, accepts: endpoint.method == .get || endpoint.method == .delete ? .none : .jsonOrAnyForm,
            bodyLimit: endpoint.bodyLimit,
            documentation: RouteDocumentation(
                endpoint.summary,
                parameters: parameters(of: path, "The project, or what else is named."),
                body: endpoint.method == .post || endpoint.method == .patch ? .optional(.any) : nil,
                responses: [.json(.ok, "As the SDKs expect it.", .any)] + Failure.documented),
            handler: LimitFields.telling { request in
                do throws(Failure) {
                    return sharing.sharing(try await core.answer(endpoint, request), with: request.head)
                } catch {
                    return sharing.sharing(error.response, with: request.head)
                }
            })
    }

    fileprivate static func parameters(of path: String, _ meaning: String) -> [DocumentedParameter] {
        path.split(separator: "/").filter { $0.first == "{" }.map {
            .path(String($0.dropFirst().dropLast().replacing("...", with: "")), .string, meaning)
        }
    }
}

extension IdentityToolkit {
    /// Who may call.
    enum Access: Sendable {
        /// Whoever has a key of the project, or is an administrator.
        case key
        case administrator
        case everybody
    }

    /// One method of the API, at all of its paths.
    struct Endpoint: Sendable {
        typealias Handler = @Sendable (Call) async throws(Failure) -> Response

        let summary: String
        var method = Method.post
        let access: Access
        /// In bytes, if its body may be larger than others.
        var bodyLimit: Int?
        let paths: [String]
        let handler: Handler

        init(
            _ summary: String, _ method: Method = .post, _ access: Access, _ paths: [String],
            handler: @escaping Handler
        ) {
            self.summary = summary
            self.method = method
            self.access = access
            self.paths = paths
            self.handler = handler
        }

        /// One that answers with an object.
        static func object(
            _ summary: String, _ method: Method = .post, _ access: Access, _ paths: [String],
            _ handler: @escaping @Sendable (Call) async throws(Failure) -> JSONObject
        ) -> Endpoint {
            Endpoint(summary, method, access, paths) { call throws(Failure) in
                .json(.ok, JSONValue.object(try await handler(call)).serialized, fields: .notStored)
            }
        }
    }

    /// A request whose sender is known.
    struct Call: Sendable {
        let request: Request
        let fields: Fields
        let query: Fields
        let isAdministrator: Bool
        let caller: Caller
    }

    /// The parts, and who is calling.
    final class Core: Sendable {
        let services: Services
        let api: Parts
        let tokens: IDTokens
        /// The last ones that were given out: to make them costs a signature for each key, and anybody may ask for them.
        let certificates = LoopSlot<RenderedCertificates?>(nil)
        var options: Options { api.options }
        var accounts: ProjectAccounts { api.accounts }

        /// The scopes by which a client administers the project.
        static let scopes = Set(ServiceAccounts.scopes)

        init(_ services: Services, _ api: Parts) {
            self.services = services
            self.api = api
            tokens = IDTokens(services, api)
        }

        /// Whether answers hide which addresses have accounts. In the emulator tests may change it.
        func hidesAddresses() async throws(Failure) -> Bool {
            guard options.isEmulator else { return options.hidesAddresses }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in try await accounts.emulatorHidesAddresses() }
                ?? options.hidesAddresses
        }

        func answer(_ endpoint: Endpoint, _ request: Request) async throws(Failure) -> Response {
            let query = Self.query(request)
            let isAdministrator = try await isAdministrator(request.head)
            switch endpoint.access {
            case .everybody: break
            case .administrator: guard isAdministrator else { throw .loginRequired }
            case .key: if !isAdministrator { try checkKey(request.head, query) }
            }
            if let project = request.pathParameters.first?.split(separator: ":").first, project != options.projectID {
                throw .permission("The caller does not have permission")
            }
            let fields = try Fields(request)
            // What the newer version takes it judges itself.
            if !request.head.path.contains("/v2/") { try fields.requireTexts() }
            if let target = fields.nonEmpty("targetProjectId") {
                guard isAdministrator else {
                    throw Failure(
                        "INSUFFICIENT_PERMISSION", "Only authenticated requests can specify target_project_id.")
                }
                guard options.isEmulator || target == options.projectID else {
                    throw .permission("The caller does not have permission")
                }
            }
            if fields.nonEmpty("tenantId") != nil { throw Failure("UNSUPPORTED_TENANT_OPERATION") }
            return try await endpoint.handler(
                Call(
                    request: request, fields: fields, query: query, isAdministrator: isAdministrator,
                    // The emulator asks nobody for a nonce: `GoogleAuthProvider.credential` of the JavaScript SDK has none.
                    caller: options.isEmulator ? Caller(request).asApp : Caller(request)))
        }

        private func isAdministrator(_ head: RequestHead) async throws(Failure) -> Bool {
            guard let value = head.value(of: .authorization) else { return false }
            guard !head.isRepeated(.authorization) else { throw .invalidCredentials }
            // Of another scheme they are for whatever stands before this server.
            guard value.prefix(while: { $0 != " " }).lowercased() == "bearer" else { return false }
            let token = value.dropFirst(7)
            if options.isEmulator, token.lowercased() == "owner" || token.hasPrefix("ya29.") { return true }
            do throws(IdentityError) {
                let principal = try await services.accessTokens.authenticate(SecretString(String(token)))
                guard principal.subject == .client, !principal.scopes.isDisjoint(with: Self.scopes),
                    principal.confirmation == nil,
                    principal.audiences.contains(where: { $0 == options.projectID || $0 == options.audience })
                else { throw .invalidToken }
                // A token may outlive what its client may do. Nobody but the operator makes an administrator.
                let client = try await services.clients.client(principal.clientID.text).client
                guard !client.isDisabled, client.registration == .byOperator, !Self.scopes.isDisjoint(with: client.scopes) else {
                    throw .invalidToken
                }
                return true
            } catch .invalidToken, .invalidClient {
                throw .invalidCredentials
            } catch {
                throw Failure(error)
            }
        }

        private func checkKey(_ head: RequestHead, _ query: Fields) throws(Failure) {
            guard let key = query.nonEmpty("key") ?? head.values(named: "x-goog-api-key").first, !key.isEmpty else {
                throw .permission("The request is missing a valid API key.")
            }
            guard options.isEmulator || options.apiKeys.contains(key) else { throw .invalidKey }
        }

        private static func query(_ request: Request) -> Fields {
            guard let form = try? FormFields(parsing: request.head.queryBytes) else { return Fields(JSONObject()) }
            var object = JSONObject()
            for name in [
                "key", "maxResults", "nextPageToken", "mode", "oobCode", "continueUrl", "lang", "newPassword", "pageSize",
                "pageToken", "updateMask", "oauthIdpConfigId", "inboundSamlConfigId",
            ] as [StaticString] {
                if let value = form.value(name) { object["\(name)"] = .string(value) }
            }
            return Fields(object)
        }

        /// The paths of a method of accounts: for apps, for administrators, and of the older API.
        func paths(_ name: String, admin: Bool = true, legacy: String? = nil) -> [String] {
            [Host.toolkit + "/v1/accounts:\(name)"]
                + (admin ? [Host.toolkit + "/v1/projects/{project}/accounts:\(name)"] : [])
                + (legacy.map { ["\(Host.legacy)/\($0)"] } ?? [])
        }

        static func kind(_ name: String) -> JSONObject {
            var object = JSONObject()
            object["kind"] = .string("identitytoolkit#\(name)")
            return object
        }
    }

    /// Who may read the answers in a browser: the pages that are trusted, in the emulator any. Cookies have no part in it.
    struct Sharing: Sendable {
        private static let requestFields =
            "authorization, content-type, x-client-version, x-firebase-gmpid, x-firebase-locale, x-firebase-client, "
            + "x-firebase-appcheck, x-goog-api-key"

        private let trusted: Set<WebOrigin>
        private let isEmulator: Bool

        init(_ pages: PageOrigins, isEmulator: Bool) {
            trusted = pages.trusted
            self.isEmulator = isEmulator
        }

        func sharing(_ response: Response, with head: RequestHead?) -> Response {
            guard let head, isEmulator || !trusted.isEmpty else { return response }
            var response = response
            response.fields.append("Vary", "Origin")
            if let origin = origin(of: head) { response.fields.append("Access-Control-Allow-Origin", origin) }
            return response
        }

        private func origin(of head: RequestHead) -> String? {
            let values = head.values(of: .origin)
            if isEmulator, values.count == 1, Self.isPlain(values[0]) { return values[0] }
            guard values.count == 1, let origin = WebOrigin(values[0]), origin.text == values[0] else { return nil }
            return trusted.contains(origin) ? origin.text : nil
        }

        /// Whether it can be said again as it is.
        private static func isPlain(_ text: String) -> Bool {
            (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        }

        /// What the scripts of a page may send: in the emulator whatever they ask for.
        private func requestFields(for head: RequestHead) -> String {
            guard isEmulator, let wanted = head.values(named: "access-control-request-headers").first, Self.isPlain(wanted) else {
                return Self.requestFields
            }
            return wanted
        }

        func preflights(of routes: [Route]) -> [Route] {
            guard isEmulator || !trusted.isEmpty else { return [] }
            return Dictionary(grouping: routes, by: \.pattern).sorted { $0.key < $1.key }.map { path, routes in
                let methods = routes.map(\.method.name).joined(separator: ", ")
                return Route(
                    .options, path,
                    documentation: RouteDocumentation(
                        "What the scripts of pages elsewhere may do here",
                        parameters: IdentityToolkit.parameters(of: path, "Any; it is not looked at."),
                        responses: [.empty(.noContent, "The fields say it, where the page is trusted.")])
                ) { request in
                    var response = sharing(.empty(.noContent), with: request.head)
                    guard origin(of: request.head) != nil else { return response }
                    response.fields.append("Access-Control-Allow-Methods", methods)
                    response.fields.append("Access-Control-Allow-Headers", requestFields(for: request.head))
                    if isEmulator, request.head.values(named: "access-control-request-private-network") == ["true"] {
                        response.fields.append("Access-Control-Allow-Private-Network", "true")
                    }
                    response.fields.append("Access-Control-Max-Age", "600")
                    return response
                }
            }
        }
    }
}
