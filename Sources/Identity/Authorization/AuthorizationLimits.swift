/// How often clients and browsers may ask for authorizations and tokens.
package struct AuthorizationLimits: Sendable {
    /// What a request to the token endpoint has taken.
    package struct Ticket: Sendable {
        fileprivate let taken: Limiter.Ticket
    }

    private let limiter: Limiter

    init(limiter: Limiter) {
        self.limiter = limiter
    }

    /// Counts a request for an authorization. It makes work and state whatever comes of it, and is not given back.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func takeAuthorization(_ caller: Caller) async throws(IdentityError) {
        try await limiter.take(.authorization(caller), caller)
    }

    /// Counts the same at its client.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func takeAuthorization(of client: ClientID, _ caller: Caller) async throws(IdentityError) {
        try await limiter.take(.authorization(of: client), caller)
    }

    /// Counts a request to the token endpoint.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func takeToken(_ caller: Caller) async throws(IdentityError) -> Ticket {
        Ticket(taken: try await limiter.take(.token(caller), caller))
    }

    /// Counts the same at its client, which is not given it back.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`.
    package func takeToken(of client: ClientID, _ caller: Caller) async throws(IdentityError) {
        try await limiter.take(.token(of: client), caller)
    }

    /// Gives a request back that has got tokens, or that nobody has done wrong with: a web server gets the tokens of all its users from one address.
    package func giveBack(_ ticket: Ticket, _ caller: Caller) async {
        await limiter.giveBack(ticket.taken, caller)
    }
}
