package import Logging
import Text

/// What providers are asked when somebody signs in with something else than an id token: an access token, or an authorization code.
package struct TokenEndpoints: Sendable {
    /// As whom Apple's codes are exchanged that come without an id token, which would say it.
    package struct AppleClient: Sendable {
        let service: AppleTokenService
        let id: String
        /// That of the app's authorization request; nil for those of native apps, which have none.
        let redirectURI: String?

        package init(service: AppleTokenService, id: String, redirectURI: String?) {
            self.service = service
            self.id = id
            self.redirectURI = redirectURI
        }
    }

    /// Nobody is asked.
    package static let none = TokenEndpoints(google: nil, apple: nil, logger: .disabled)

    let google: GoogleTokenService?
    private let apple: AppleClient?
    let logger: Logger
    /// Questions that one client address may have under way on a loop.
    let callsPerAddress: Int

    package init(google: GoogleTokenService?, apple: AppleClient?, callsPerAddress: Int = 4, logger: Logger) {
        self.callsPerAddress = callsPerAddress
        self.google = google
        self.apple = apple
        self.logger = logger
    }

    /// As whom we ask for codes of a provider; nil where they cannot be exchanged.
    func clientID(at provider: ProviderID) -> String? {
        switch provider {
        case .google: google?.clientID
        case .apple: apple?.id
        default: nil
        }
    }

    /// Nil where codes of that provider cannot be exchanged.
    /// - Parameter redirectURI: that the code was asked for with; nil for the configured one.
    func exchange(
        _ code: SecretString, of provider: ProviderID, verifier: SecretString?, redirectURI: String? = nil
    ) async throws(ProviderCallFailure) -> CodeTokens? {
        switch provider {
        case .google:
            guard let google, google.exchangesCodes else { return nil }
            return try await google.exchange(code, verifier: verifier, redirectURI: redirectURI)
        case .apple:
            guard let apple else { return nil }
            let tokens = try await apple.service.exchange(
                code, of: apple.id, redirectURI: redirectURI ?? apple.redirectURI)
            return CodeTokens(idToken: tokens.idToken, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        default: return nil
        }
    }
}

/// How many questions to a provider each client has under way, so that made-up tokens of one do not keep all threads busy. A pure value.
package struct CallShares: Sendable {
    private let limit: Int
    private var counts: [String: Int] = [:]

    /// - Parameter limit: for each client at once.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts one more; false when the client has as many as it may.
    package mutating func begin(_ client: String) -> Bool {
        guard counts[client, default: 0] < limit else { return false }
        counts[client, default: 0] += 1
        return true
    }

    package mutating func end(_ client: String) {
        guard let count = counts[client] else { return }
        counts[client] = count > 1 ? count - 1 : nil
    }

    /// Clients with something under way.
    package var clientCount: Int { counts.count }
}

/// What a token endpoint gives for an authorization code (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
struct CodeTokens: Sendable {
    let idToken: SecretString?
    let accessToken: SecretString?
    /// Only if the app asked the user for lasting access.
    let refreshToken: SecretString?

    init(idToken: SecretString?, accessToken: SecretString?, refreshToken: SecretString?) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    /// Nil for an answer that says nothing of who the user is.
    init?(parsing body: [UInt8]) {
        guard let document = try? JSON.parse(body) else { return nil }
        func secret(_ name: String) -> SecretString? {
            guard let text = document[name]?.stringValue, !text.isEmpty else { return nil }
            return SecretString(text)
        }
        self.init(
            idToken: secret("id_token"), accessToken: secret("access_token"), refreshToken: secret("refresh_token"))
        guard idToken != nil || accessToken != nil else { return nil }
    }
}
