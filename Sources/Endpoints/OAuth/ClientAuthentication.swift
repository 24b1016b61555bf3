import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// Finds out which client asks (RFC 6749 §2.3).
    struct ClientAuthentication: Sendable {
        let services: Services

        /// What there is to do for a client.
        typealias Rule = (ClientRegistry.Entry) async throws(Failure) -> Response

        /// Answers a client that has proved itself. What has proved it is good once more if we fail.
        /// - Throws: `OAuth.Failure.invalidClient`, `invalidRequest`, `unavailable`, `slowDown`; what `rule` throws.
        func confidential(_ request: Request, _ form: FormFields, _ rule: Rule) async throws(Failure) -> Response {
            // A backend sends the same field with every request: once it has been looked at closely, its digest is enough.
            let digest = request.head.withValue(of: .authorization) { CredentialDigest(of: $0) }
            if let digest, let entry = await services.clients.recognise(digest), form.names(only: entry.client.id.text) {
                return try await rule(entry)
            }
            return try await answer(try await client(request, form, needsAuthentication: true, remembering: digest), rule)
        }

        /// The same for a client that has proved itself, and for a public one that only names itself.
        func any(_ request: Request, _ form: FormFields, _ rule: Rule) async throws(Failure) -> Response {
            try await answer(try await client(request, form, needsAuthentication: false, remembering: nil), rule)
        }

        private func answer(_ client: ProvedClient, _ rule: Rule) async throws(Failure) -> Response {
            do throws(Failure) {
                return try await rule(client.entry)
            } catch {
                if error.isOurs { await ClientAuthenticator(services: services).giveBack(client) }
                throw error
            }
        }

        private func client(
            _ request: Request, _ form: FormFields, needsAuthentication: Bool, remembering digest: CredentialDigest?
        ) async throws(Failure) -> ProvedClient {
            do throws(ClientAuthenticator.Refusal) {
                return try await ClientAuthenticator(services: services).client(
                    request, form, at: request.head.path, needsAuthentication: needsAuthentication, remembering: digest)
            } catch {
                switch error {
                case .twoWays: throw .invalidRequest("the client authenticates in two ways")
                case .identity(let error): throw Failure(error)
                }
            }
        }

        static let basic = SecurityScheme.basic(
            "client", "The id and the secret of a client; both may also be in the form as `client_id` and `client_secret`.")
    }
}

extension FormFields {
    /// Whether the form carries no proof, and no client but this one.
    fileprivate func names(only id: String) -> Bool {
        guard value("client_secret") == nil, value("client_assertion") == nil else { return false }
        return value("client_id").map { $0 == id } ?? true
    }
}
