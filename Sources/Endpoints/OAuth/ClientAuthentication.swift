import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// Finds out which client asks (RFC 6749 §2.3): by HTTP Basic or by fields of the form, never by both.
    struct ClientAuthentication: Sendable {
        let clients: ClientRegistry

        let refusals: ClientRefusals

        /// A client that has proved itself with its secret.
        /// - Throws: `OAuth.Failure.invalidClient`, `invalidRequest`, `unavailable`, `slowDown`.
        func confidential(_ request: Request, _ form: FormFields) async throws(Failure) -> ClientRegistry.Entry {
            // A backend sends the same field with every request: once it has been looked at closely, its digest is enough.
            let proof = request.head.withValue(of: .authorization) { CredentialProof(of: $0) }
            if let proof, let entry = await clients.recognise(proof), form.names(only: entry.client.id.text) { return entry }
            let credentials = try credentials(request, form)
            return try await noting(credentials?.id, request) { () throws(IdentityError) in
                guard let credentials, let secret = credentials.secret else { throw .invalidClient }
                return try await clients.authenticate(credentials.id, secret: secret, as: proof)
            }
        }

        /// A client that has proved itself, or a public one that only names itself.
        /// - Throws: `OAuth.Failure.invalidClient`, `invalidRequest`, `unavailable`, `slowDown`.
        func any(_ request: Request, _ form: FormFields) async throws(Failure) -> ClientRegistry.Entry {
            let credentials = try credentials(request, form)
            return try await noting(credentials?.id, request) { () throws(IdentityError) in
                guard let credentials else { throw .invalidClient }
                if let secret = credentials.secret { return try await clients.authenticate(credentials.id, secret: secret) }
                let entry = try await clients.client(credentials.id)
                guard entry.client.authentication == .publicClient else { throw .invalidClient }
                return entry
            }
        }

        /// - Parameter id: what the caller says to be.
        private func noting(
            _ id: String?, _ request: Request, _ rule: () async throws(IdentityError) -> ClientRegistry.Entry
        ) async throws(Failure) -> ClientRegistry.Entry {
            do throws(IdentityError) {
                return try await rule()
            } catch {
                if error == .invalidClient { await refusals.note(id, Caller(request)) }
                throw Failure(error)
            }
        }

        /// Nil when there are none that can be understood.
        private func credentials(
            _ request: Request, _ form: FormFields
        ) throws(Failure) -> (id: String, secret: SecretString?)? {
            let authorization: Authorization?
            do throws(AuthorizationError) {
                authorization = try Authorization.parse(request.head)
            } catch {
                return nil
            }
            // A parameter without a value counts as not sent (RFC 6749 §3.2).
            let named = form.value("client_id").flatMap { $0.isEmpty ? nil : $0 }
            let secret = form.secret("client_secret").flatMap { $0.isEmpty ? nil : $0 }
            switch authorization {
            case .basic(let basic):
                guard secret == nil, named == nil || named == basic.id else {
                    throw .invalidRequest("the client authenticates in two ways")
                }
                return (basic.id, basic.secret)
            case .bearer:
                return nil
            case nil:
                return named.map { ($0, secret) }
            }
        }

        static let basic = SecurityScheme.basic(
            "client", "The id and the secret of a client; both may also be in the form as `client_id` and `client_secret`.")
    }
}

extension FormFields {
    /// Whether the form carries no secret, and no client but this one.
    fileprivate func names(only id: String) -> Bool {
        guard value("client_secret") == nil else { return false }
        return value("client_id").map { $0 == id } ?? true
    }
}
