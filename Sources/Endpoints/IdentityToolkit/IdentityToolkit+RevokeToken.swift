import HTTP
import Identity
import Text

/// What Apple has given, given up.
extension IdentityToolkit.Core {
    var revokeTokenEndpoint: Endpoint {
        .object("Give up what Apple has given", .post, .key, [Host.toolkit + "/v2/accounts:revokeToken"]) {
            call throws(Failure) in try await self.revokeToken(call)
        }
    }

    /// Has Apple revoke what the app got for its user: as a rule just before the account is deleted.
    private func revokeToken(_ call: Call) async throws(Failure) -> JSONObject {
        guard call.fields.nonEmpty("providerId") == "apple.com" else { throw Failure("INVALID_PROVIDER_ID") }
        guard let idToken = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
        guard let token = call.fields.secret("token") else { throw Failure("INVALID_REQUEST", "The token is missing.") }
        let kind: AuthorizationCodes.Revocable
        switch call.fields.nonEmpty("tokenType") {
        case "3", "CODE", nil: kind = .code
        case "2", "ACCESS_TOKEN": kind = .accessToken
        case "1", "REFRESH_TOKEN": kind = .refreshToken
        default: throw Failure("INVALID_REQUEST", "The type of the token is not known.")
        }
        let user = try await tokens.holder(of: idToken).user.user
        try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.countProviderToken(call.caller)
            guard let identity = try await services.accounts.identities(of: user.id).first(where: { $0.provider == .apple })
            else { throw .identityNotFound }
            let clientID =
                identity.audience.isEmpty
                ? services.federation.provider(.apple)?.clientIDs.first ?? "" : identity.audience
            try await services.codes.revoke(
                token, kind, of: ProviderTokenOwner(provider: .apple, subject: identity.subject, clientID: clientID))
        }
        return JSONObject()
    }
}
