import HTTP
import Routing

extension ProviderFields {
    static let documented: [Schema.Member] = [
        .optional(
            "oauth_provider",
            .string.described("`google`, `apple`, `github`, `twitter`, or another provider that is configured.")),
        .optional("oauth_id", .string.described("The user's id at the provider. With an id token it must be the `sub` of that.")),
        .optional(
            "id_token",
            .string.orNull.described(
                "The provider's id token, good for one sign-in. Also as `identity_token`, `identityToken` or `idToken`.")),
        .optional("nonce", .string.orNull.described("As it was made: raw, if the provider was given its SHA-256.")),
        .optional(
            "authorization_code", .string.orNull.described("Apple's, if the app has it. Also as `authorizationCode`.")),
    ]

    static let requiredDocumented = AppError.documented(
        .badRequest, "OAuth provider and ID are required", "Without `oauth_provider`, or with neither id token nor `oauth_id`.")

    static let refusedDocumented = AppError.documented(
        .unauthorized, "Invalid OAuth token", "There is no id token, or one that proves nothing; the audit log says why.")
}
