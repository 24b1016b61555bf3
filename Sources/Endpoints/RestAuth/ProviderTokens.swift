import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// A provider's proof of who somebody is, in a request: `id_token`, `access_token`, `code`.
    ///
    /// Apps of dj-rest-auth send an id token under `access_token` too. A code that comes along with an id token is exchanged behind the back of
    /// who signs in; one that comes alone is the proof itself.
    struct ProviderTokens: Sendable {
        /// What is to be kept when the proof has let somebody in, so that it can be revoked one day.
        private enum Rest: Sendable {
            case nothing
            case code(SecretString)
            case refreshToken(SecretString)
        }

        private struct Sent {
            let idToken: SecretString?
            let accessToken: SecretString?
            let code: SecretString?
            let verifier: SecretString?
            let nonce: SecretString?
        }

        let verifiedToken: VerifiedIDToken
        private let rest: Rest

        /// - Throws: what the original says when nothing was sent; `Incorrect value` for all that proves nothing; 503.
        static func read(
            _ request: Request, of provider: ProviderID, _ services: Services
        ) async throws(Failure) -> ProviderTokens {
            var fields = try Fields(request)
            let sent = Sent(
                idToken: fields.optionalSecret("id_token"), accessToken: fields.optionalSecret("access_token"),
                code: fields.optionalSecret("code"), verifier: fields.optionalSecret("code_verifier"),
                nonce: fields.optionalSecret("nonce"))
            try fields.check()
            guard sent.idToken != nil || sent.accessToken != nil || sent.code != nil else { throw .nonField(.missingSocialToken) }
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await verified(sent, of: provider, services, Caller(request))
            }
        }

        private static func verified(
            _ sent: Sent, of provider: ProviderID, _ services: Services, _ caller: Caller
        ) async throws(IdentityError) -> ProviderTokens {
            let federation = services.federation
            if let token = sent.idToken ?? sent.accessToken {
                let isAccessToken =
                    sent.idToken == nil && federation.tellsOfAccessTokens(provider) && !Federation.looksLikeIDToken(token)
                guard !isAccessToken else {
                    let verifiedToken = try await federation.verify(
                        accessToken: token, from: provider, nonce: sent.nonce, caller: caller)
                    return ProviderTokens(verifiedToken: verifiedToken, rest: .nothing)
                }
                let verifiedToken = try await federation.verify(
                    token, from: provider, nonce: sent.nonce, accessToken: sent.accessToken, caller: caller)
                guard let code = sent.code else { return ProviderTokens(verifiedToken: verifiedToken, rest: .nothing) }
                try await services.codes.check(code, of: verifiedToken, caller: caller)
                return ProviderTokens(verifiedToken: verifiedToken, rest: .code(code))
            }
            guard let code = sent.code else { throw .invalidProviderToken }
            let (verifiedToken, refreshToken) = try await federation.redeem(
                code, verifier: sent.verifier, from: provider, nonce: sent.nonce, caller: caller)
            return ProviderTokens(verifiedToken: verifiedToken, rest: refreshToken.map { .refreshToken($0) } ?? .nothing)
        }

        /// Has the provider's refresh token kept, now that the proof has let its user in.
        func keep(for userID: UserID, _ services: Services, _ caller: Caller) async {
            switch rest {
            case .nothing: return
            case .code(let code): await services.codes.take(code, of: verifiedToken, userID: userID, caller: caller)
            case .refreshToken(let token): await services.codes.keep(token, of: verifiedToken, userID: userID, caller: caller)
            }
        }

        static let members: [Routing.Schema.Member] = [
            .optional("id_token", .string), .optional("access_token", .string), .optional("code", .string),
            .optional("code_verifier", .string), .optional("nonce", .string),
        ]
    }
}
