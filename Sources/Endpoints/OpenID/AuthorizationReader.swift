import Identity
import Routing
import Text

/// Reads an authorization request: its parameters, those that it has pushed, and its client. The endpoint and the pages see the same.
struct AuthorizationReader: Sendable {
    struct Reading: Sendable {
        let outcome: AuthorizationCheck.Outcome
        /// As they came, without a mark.
        let sent: AuthorizationParameters
        /// The name of the pushed request that they stand for.
        let pushedName: String?
        /// When the user was first asked to act for this request; nil when they have not been.
        let startedAt: Timestamp?
    }

    let services: Services

    /// - Parameter browser: in which marks count; nil where they do not matter.
    /// - Throws: `IdentityError.unavailable`, `tooManyRequests`.
    func read(
        _ fields: [(name: String, value: String)], in browser: BrowserSecret? = nil
    ) async throws(IdentityError) -> Reading {
        let server = services.authorization
        let sent = AuthorizationParameters(fields)
        var startedAt: Timestamp?
        if let browser, let mark = fields.last(where: { $0.name == InteractionMarks.parameter })?.value {
            startedAt = server.marks.time(of: mark, for: sent.digest, in: browser.binding, at: server.system.now())
        }
        let client = try await client(of: sent)
        var (parameters, pushedName): (AuthorizationParameters, String?) = (sent, nil)
        if let client, let name = sent["request_uri"], name.hasPrefix(PushedRequests.prefix),
            sent.repeated.isDisjoint(with: ["client_id", "request_uri"])
        {
            let found = try await mapServiceFailures { () throws(ServiceFailure) in
                try await server.pushed.parameters(name, of: client.id)
            }
            guard let pushed = found else {
                return Reading(outcome: .shown(Self.unknownRequest), sent: sent, pushedName: nil, startedAt: nil)
            }
            (parameters, pushedName) = (pushed, name)
        }
        let outcome = AuthorizationCheck(isPushed: pushedName != nil).check(parameters, client: client)
        return Reading(outcome: outcome, sent: sent, pushedName: pushedName, startedAt: startedAt)
    }

    /// The request that a page is to lead back to, if it is right.
    /// - Throws: as `read`.
    func request(of destination: Destination) async throws(IdentityError) -> AuthorizationRequest? {
        guard destination.isAuthorization, let fields = destination.fields?.pairs,
            case .accepted(let request) = try await read(fields).outcome
        else { return nil }
        return request
    }

    static let unknownRequest = AuthorizationRefusal(
        .invalidRequestURI, "The request_uri is unknown, used or too old.", parameter: "request_uri")

    private func client(of parameters: AuthorizationParameters) async throws(IdentityError) -> Client? {
        guard let id = parameters["client_id"], !parameters.repeated.contains("client_id") else { return nil }
        return try await services.clients.known(id)
    }
}

extension ClientRegistry {
    /// The client of an id; nil when there is none.
    /// - Throws: as `client(_:)`, but for `IdentityError.invalidClient`.
    func known(_ id: String) async throws(IdentityError) -> Client? {
        do throws(IdentityError) {
            return try await client(id).client
        } catch .invalidClient {
            return nil
        }
    }
}
