import HTTP
import Identity
import Routing
import Text

extension OpenID {
    /// The form of a request to the token endpoint and its neighbours (RFC 6749 §3.2): each parameter at most once, an empty one as if it were
    /// not there; `resource` and `audience` may come several times (RFC 8707 §2, RFC 8693 §2.1).
    struct ClientForm: Sendable {
        let fields: FormFields
        let resources: [String]
        let audiences: [String]

        /// - Throws: `invalid_request`.
        init(_ request: Request) throws(Failure) {
            // What stands in an address ends up in logs and histories.
            guard request.head.query == nil else { throw .invalidRequest("parameters belong in the body") }
            guard let fields = try? FormFields(withRepetitions: request.body) else {
                throw .invalidRequest("the form is malformed")
            }
            var seen: Set<String> = []
            var (resources, audiences): ([String], [String]) = ([], [])
            for (name, value) in fields.pairs {
                switch name {
                case "resource": resources.append(value)
                case "audience": audiences.append(value)
                default:
                    guard seen.insert(name).inserted else { throw .invalidRequest("a parameter is repeated") }
                }
            }
            guard resources.count <= 8, audiences.count <= 8 else { throw .invalidRequest("there are too many resources") }
            self.fields = fields
            self.resources = resources.filter { !$0.isEmpty }
            self.audiences = audiences.filter { !$0.isEmpty }
        }

        subscript(name: StaticString) -> String? {
            fields.value(name).flatMap { $0.isEmpty ? nil : $0 }
        }

        /// - Throws: `invalid_request` when it is missing.
        func required(_ name: StaticString) throws(Failure) -> String {
            guard let value = self[name] else { throw .invalidRequest("\(name) is missing") }
            return value
        }

        /// The scopes that are asked for; nil for none.
        /// - Throws: `invalid_scope`.
        func scopes() throws(Failure) -> [String]? {
            guard let text = self["scope"] else { return nil }
            do throws(AuthorizationRefusal) {
                return try ScopeText.scopes(text)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// A token request of a client that has proved itself.
    struct TokenRequest: Sendable {
        let request: Request
        let form: ClientForm
        let client: Client
        /// The key whose possession the request proves (RFC 9449).
        let confirmation: KeyConfirmation?

        var caller: Caller { Caller(request) }

        /// - Throws: `unauthorized_client`.
        func require(_ grant: GrantType) throws(Failure) {
            guard client.grantTypes.contains(grant) else { throw .unauthorizedClient }
        }

        /// The resources that are asked for, out of what may be.
        /// - Throws: `invalid_target`.
        func resources(of allowed: [String]) throws(Failure) -> [String] {
            for resource in form.resources where !allowed.contains(where: { $0.hasSameBytes(as: resource) }) {
                throw .invalidTarget
            }
            return form.resources
        }
    }
}
