import HTTP
import Identity
import Routing
import Text

/// How a request says which client it is of (RFC 6749 §2.3): by HTTP Basic, by fields of the form, or by an assertion, never by two of them.
struct ClientCredentials: Sendable {
    enum Method: Sendable {
        /// It only names itself.
        case nothing
        case secret(SecretString)
        /// RFC 7523 §2.2.
        case assertion(SecretString)
    }

    /// Why credentials cannot be used.
    enum Refusal: Error {
        case twoWays
        /// None that can be understood.
        case missing
    }

    let id: String
    let method: Method

    /// - Throws: `Refusal`.
    init(_ request: Request, _ form: FormFields) throws(Refusal) {
        guard let authorization = try? Authorization.parse(request.head) else {
            guard request.head.values(of: .authorization).isEmpty else { throw .missing }
            self = try Self.inForm(form)
            return
        }
        guard case .basic(let basic) = authorization else { throw .missing }
        let named = Self.value(form, "client_id")
        guard Self.secret(form) == nil, Self.value(form, "client_assertion") == nil, named == nil || named == basic.id else {
            throw .twoWays
        }
        (id, method) = (basic.id, .secret(basic.secret))
    }

    private init(id: String, method: Method) {
        self.id = id
        self.method = method
    }

    private static func inForm(_ form: FormFields) throws(Refusal) -> ClientCredentials {
        let (named, secret) = (value(form, "client_id"), secret(form))
        if let assertion = value(form, "client_assertion") {
            guard secret == nil else { throw .twoWays }
            guard value(form, "client_assertion_type") == ClientAssertion.type,
                let subject = ClientAssertion.unverifiedSubject(of: assertion), named == nil || named == subject
            else { throw .missing }
            return ClientCredentials(id: subject, method: .assertion(SecretString(assertion)))
        }
        guard let named else { throw .missing }
        return ClientCredentials(id: named, method: secret.map { .secret($0) } ?? .nothing)
    }

    /// A parameter without a value counts as not sent (RFC 6749 §3.2).
    private static func value(_ form: FormFields, _ name: StaticString) -> String? {
        form.value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func secret(_ form: FormFields) -> SecretString? {
        form.secret("client_secret").flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A client that has proved itself or, if it is a public one, has named itself.
struct ProvedClient: Sendable {
    let entry: ClientRegistry.Entry
    /// Of the assertion that has proved it, if one has.
    var assertion: ClientAssertions.Use?
}

/// Finds out which client asks, for all of `/oauth2`.
struct ClientAuthenticator: Sendable {
    enum Refusal: Error {
        case twoWays
        case identity(IdentityError)
    }

    let services: Services

    /// A client that has proved itself or, if it is a public one, only names itself.
    /// - Parameters:
    ///   - endpoint: the path that is asked.
    ///   - needsAuthentication: whether to name oneself is not enough.
    ///   - proof: by which the client is to be recognised when the very same field comes again.
    /// - Throws: `Refusal`; `.identity(.invalidClient)` for whoever is none.
    func client(
        _ request: Request, _ form: FormFields, at endpoint: String, needsAuthentication: Bool = false,
        remembering digest: CredentialDigest? = nil
    ) async throws(Refusal) -> ProvedClient {
        let credentials: ClientCredentials
        do throws(ClientCredentials.Refusal) {
            credentials = try ClientCredentials(request, form)
        } catch {
            if error == .twoWays { throw .twoWays }
            await services.clientRefusals.note(nil, Caller(request))
            throw .identity(.invalidClient)
        }
        do throws(IdentityError) {
            return try await client(credentials, endpoint, needsAuthentication, digest)
        } catch {
            if error == .invalidClient { await services.clientRefusals.note(credentials.id, Caller(request)) }
            throw .identity(error)
        }
    }

    private func client(
        _ credentials: ClientCredentials, _ endpoint: String, _ needsAuthentication: Bool, _ digest: CredentialDigest?
    ) async throws(IdentityError) -> ProvedClient {
        switch credentials.method {
        case .secret(let secret):
            return ProvedClient(entry: try await services.clients.authenticate(credentials.id, secret: secret, as: digest))
        case .assertion(let assertion):
            let entry = try await services.clients.client(credentials.id)
            let use = try await services.authorization.assertions.check(assertion, of: entry.client, at: endpoint)
            return ProvedClient(entry: entry, assertion: use)
        case .nothing:
            let entry = try await services.clients.client(credentials.id)
            guard entry.client.isPublic, !needsAuthentication else { throw .invalidClient }
            return ProvedClient(entry: entry)
        }
    }

    /// What proved the client is good once more: the request came to nothing, because we have failed.
    func giveBack(_ client: ProvedClient) async {
        if let use = client.assertion { await services.authorization.assertions.giveBack(use) }
    }
}
