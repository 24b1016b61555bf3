import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// What a body says of an identity at a provider, and the proof of it: `oauth_provider`, `oauth_id`,
    /// `id_token` or one of its other names, `nonce`, `access_token` and `authorization_code`.
    struct ProviderFields: Sendable {
        /// Those that apps know, switched on or not.
        static let contractProviders = ["google", "apple", "github", "twitter"]
        private static let tokenNames = ["id_token", "identity_token", "identityToken", "idToken"]

        /// Nil when none is named.
        let provider: ProviderID?
        /// Nil when it is missing or empty.
        let subject: String?
        let token: SecretString?
        let nonce: SecretString?
        /// The provider's, if the app sends it along: held against `at_hash`, and not used.
        let accessToken: SecretString?
        /// Apple's, for its token endpoint.
        let authorizationCode: SecretString?
        /// What is wrong with the name of the provider.
        let issue: Issue?

        /// - Parameter configured: the providers that are switched on, whose names pass beside those that apps know.
        init(_ fields: inout FieldReader, configured: [ProviderID]) {
            let options = Self.contractProviders + configured.map(\.text).filter { !Self.contractProviders.contains($0) }
            let name = fields.optionalString("oauth_provider", null: .wrongType)
            let isKnown = name.map { options.contains($0) } ?? true
            provider = isKnown ? name.flatMap { ProviderID($0) } : nil
            issue = isKnown ? nil : name.map { .notAllowed($0, options: options, path: ["oauth_provider"]) }
            subject = fields.optionalString("oauth_id", null: .wrongType).flatMap { $0.isEmpty ? nil : $0 }
            let tokens = Self.tokenNames.compactMap { Self.secret($0, in: &fields) }
            // One token under several names is one; several tokens are none that anybody could mean.
            let isOne = Set(tokens.map(\.revealedText)).count == 1
            token = isOne || tokens.isEmpty ? tokens.first : SecretString("")
            nonce = Self.secret("nonce", in: &fields)
            accessToken = Self.secret("access_token", in: &fields) ?? Self.secret("accessToken", in: &fields)
            authorizationCode = Self.secret("authorization_code", in: &fields) ?? Self.secret("authorizationCode", in: &fields)
        }

        /// Whether the body names an identity, proved or not.
        var isComplete: Bool {
            provider != nil && (token != nil || subject != nil)
        }

        /// Whether the body has a token, whatever it is worth: then less is asked of the rest.
        static func bringToken(_ fields: FieldReader) -> Bool {
            tokenNames.contains { name in fields.value(name)?.stringValue?.isEmpty == false }
        }

        private static func secret(_ name: String, in fields: inout FieldReader) -> SecretString? {
            fields.optionalString(name).flatMap { $0.isEmpty ? nil : SecretString($0) }
        }

        static let documented: [Routing.Schema.Member] = [
            .optional(
                "oauth_provider",
                .string.described("`google`, `apple`, `github`, `twitter`, or another provider that is configured.")),
            .optional(
                "oauth_id", .string.described("The user's id at the provider. With an id token it must be the `sub` of that.")),
            .optional(
                "id_token",
                .string.orNull.described(
                    "The provider's id token, good for one sign-in. Also as `identity_token`, `identityToken` or `idToken`.")),
            .optional("nonce", .string.orNull.described("As it was made: raw, if the provider was given its SHA-256.")),
            .optional(
                "authorization_code", .string.orNull.described("Apple's, if the app has it. Also as `authorizationCode`.")),
        ]

        static let requiredDocumented = Failure.documented(
            .badRequest, "OAuth provider and ID are required",
            "Without `oauth_provider`, or with neither id token nor `oauth_id`.")

        static let refusedDocumented = Failure.documented(
            .unauthorized, "Invalid OAuth token", "There is no id token, or one that proves nothing; the audit log says why.")
    }
}
