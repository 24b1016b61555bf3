import Identity
import Text

extension IdentityToolkit {
    /// A user as look-ups and lists give one. What is absent is left out.
    enum UserInfoObject {
        /// Says that there is a password, and nothing of it.
        static let redactedHash = "UkVEQUNURUQ="

        static func object(_ found: ProjectUser, withHash: Bool = false) -> JSONValue {
            let user = found.user
            var object = JSONObject()
            object["localId"] = .string(found.localID)
            if let email = user.email {
                object["email"] = .string(email.typed)
                object["emailVerified"] = .bool(user.emailVerified)
            }
            if let name = user.displayName { object["displayName"] = .string(name.text) }
            if let photo = user.photoURL { object["photoUrl"] = .string(photo.text) }
            if let phone = user.phoneNumber { object["phoneNumber"] = .string(phone) }
            if user.isDisabled { object["disabled"] = true }
            object["validSince"] = .string(String((user.tokensValidAfter ?? user.createdAt).seconds))
            object["createdAt"] = .string(String(user.createdAt.milliseconds))
            if let time = user.lastSignInAt {
                object["lastLoginAt"] = .string(String(time.milliseconds))
                object["lastRefreshAt"] = .string(time.iso8601)
            }
            if found.hasPassword {
                object["passwordHash"] = .string(redactedHash)
                object["passwordUpdatedAt"] = .integer((user.tokensValidAfter ?? user.createdAt).milliseconds)
            }
            if found.hasPassword || withHash { object["salt"] = .string("") }
            if !user.claims.isEmpty {
                object["customAttributes"] = .string(String(decoding: JSONValue.object(user.claims).serialized, as: UTF8.self))
            }
            if found.marks.signsInByCustomToken { object["customAuth"] = true }
            if found.marks.signsInByLink { object["emailLinkSignin"] = true }
            if let email = found.marks.initialEmail { object["initialEmail"] = .string(email) }
            object["providerUserInfo"] = .array(providers(found))
            return .object(object)
        }

        static func providers(_ found: ProjectUser) -> [JSONValue] {
            let user = found.user
            var providers: [JSONValue] = []
            if let email = user.email, found.hasPassword || found.marks.signsInByLink {
                providers.append(entry("password", email.typed, email: email.typed, user))
            }
            if let phone = user.phoneNumber {
                var object = JSONObject()
                object["providerId"] = "phone"
                object["rawId"] = .string(phone)
                object["phoneNumber"] = .string(phone)
                providers.append(.object(object))
            }
            for identity in found.identities {
                providers.append(entry(ProviderName.wire(identity.provider), identity.subject, email: identity.email, user))
            }
            return providers
        }

        private static func entry(_ provider: String, _ id: String, email: String?, _ user: User) -> JSONValue {
            var object = JSONObject()
            object["providerId"] = .string(provider)
            object["rawId"] = .string(id)
            object["federatedId"] = .string(id)
            if let email { object["email"] = .string(email) }
            if let name = user.displayName { object["displayName"] = .string(name.text) }
            if let photo = user.photoURL { object["photoUrl"] = .string(photo.text) }
            return .object(object)
        }
    }
}
