import Identity
import Text

extension RestAuth {
    /// What the JWTs of this API say.
    enum Claims {
        enum Kind: String {
            case access, refresh
        }

        /// Of an access token: as djangorestframework-jwt has it, or simplejwt.
        static func access(_ facts: AccessTokenFacts, _ user: User, _ profile: Profile, _ options: Options) -> JSONObject {
            switch options.dialect {
            case .djangoRestAuth:
                JSONObject([
                    .init(key: "user_id", value: .integer(profile.number)),
                    .init(key: "username", value: .string(profile.username.text)),
                    .init(key: "exp", value: .integer(facts.expiresAt.seconds)),
                    .init(key: "email", value: .string(user.email?.typed ?? "")),
                    .init(key: "jti", value: .string(hex(facts.tokenID))),
                ])
            case .djRestAuth: access(facts, userID: String(profile.number))
            }
        }

        /// As simplejwt has it, for a user whose number is known.
        static func access(_ facts: AccessTokenFacts, userID: String) -> JSONObject {
            make(.access, id: hex(facts.tokenID), userID: userID, issuedAt: facts.issuedAt, expiresAt: facts.expiresAt)
        }

        /// A refresh token: ours is its `jti`.
        static func refresh(
            _ token: SecretString, userID: String, issuedAt: Timestamp, expiresAt: Timestamp
        ) -> JSONObject {
            make(.refresh, id: token.revealedText, userID: userID, issuedAt: issuedAt, expiresAt: expiresAt)
        }

        static func kind(of claims: JSONObject) -> Kind? {
            claims["token_type"]?.stringValue.flatMap { Kind(rawValue: $0) }
        }

        private static func make(
            _ kind: Kind, id: String, userID: String, issuedAt: Timestamp, expiresAt: Timestamp
        ) -> JSONObject {
            JSONObject([
                .init(key: "token_type", value: .string(kind.rawValue)), .init(key: "exp", value: .integer(expiresAt.seconds)),
                .init(key: "iat", value: .integer(issuedAt.seconds)), .init(key: "jti", value: .string(id)),
                .init(key: "user_id", value: .string(userID)),
            ])
        }

        private static func hex(_ id: UUID) -> String {
            id.description.filter { $0 != "-" }
        }
    }
}
