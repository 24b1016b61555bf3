import Crypto
import HTTP
import Identity
import JOSE
import Text

extension IdentityToolkit {
    /// Writes and reads the ID tokens of the project. One is the access token of its session besides: it is kept, can be introspected by
    /// the backend whose audience the project is, and dies with the session.
    struct IDTokens: Sendable {
        private let services: Services
        private let api: Parts

        /// Who a live token speaks for.
        struct Holder {
            let user: ProjectUser
            let session: SessionID
        }

        init(_ services: Services, _ api: Parts) {
            self.services = services
            self.api = api
        }

        /// Begins a session for somebody, and gives its tokens. It costs one signature: the ID token is the session's first access token.
        func begin(_ authentication: Authentication, _ caller: Caller) async throws(Failure) -> Issued {
            let ring = try keyRing()
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let user = try await api.accounts.user(authentication.user.id)
                let write: AccessTokenWriter = { facts throws(IdentityError) in try written(claims(user, facts), ring) }
                let tokens = try await services.sessions.begin(
                    authentication, for: api.client, terms: GrantTerms(audiences: [api.options.projectID]), caller: caller,
                    writing: write)
                return Issued(
                    user: user, idToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                    life: api.client.accessTokenLifetime.components.seconds)
            }
        }

        struct Issued {
            let user: ProjectUser
            let idToken: SecretString
            let refreshToken: SecretString
            let life: Int64

            func write(to object: inout JSONObject) {
                object["idToken"] = .string(idToken.revealedText)
                object["refreshToken"] = .string(refreshToken.revealedText)
                object["expiresIn"] = .string(String(life))
            }
        }

        /// Exchanges a refresh token. It costs one signature: the ID token is the access token of the refresh.
        /// - Throws: as `Sessions.refresh`; `IdentityError.userDisabled`.
        func refresh(_ token: SecretString, _ caller: Caller) async throws(IdentityError) -> Issued {
            let ring = try services.keys.current()
            var holder: ProjectUser?
            let tokens = try await services.sessions.refresh(token, RefreshOptions(for: api.client.id), caller: caller) {
                session throws(IdentityError) in
                let user = try await api.accounts.user(session.userID)
                guard !user.user.isDisabled else { throw .userDisabled }
                holder = user
                return { facts throws(IdentityError) in try written(claims(user, facts), ring) }
            }
            guard let holder else { throw .fault() }
            let life = tokens.accessTokenExpiresAt.duration(since: tokens.session.time(at: api.system.now()))
            // Rounded, since a part of the first second may be over.
            return Issued(
                user: holder, idToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                life: (life + .milliseconds(999)).components.seconds)
        }

        /// The claims of a session cookie: those of an ID token that is good, under another issuer and for as long as is asked.
        func sessionCookie(_ token: SecretString, life: Int64) async throws(Failure) -> SecretString {
            _ = try await holder(of: token)
            let ring = try keyRing()
            let parts = token.revealedText.split(separator: ".")
            guard parts.count >= 2, let payload = Base64URL.decode(parts[1]),
                var object = try? JSON.parse(payload).objectValue
            else { throw Failure("INVALID_ID_TOKEN") }
            let now = api.system.now().seconds
            object["iss"] = .string("https://session.firebase.google.com/\(api.options.projectID)")
            object["iat"] = .integer(now)
            object["exp"] = .integer(now + life)
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in try written(object, ring) }
        }

        private func written(_ claims: JSONObject, _ ring: KeyRing) throws(IdentityError) -> SecretString {
            guard api.options.hasUnsignedTokens else { return try ring.sign(claims, type: .idToken, algorithm: .rs256) }
            let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            return SecretString("\(header).\(Base64URL.encode(JSONValue.object(claims).serialized)).")
        }

        /// Whose ID token it is.
        /// - Throws: `INVALID_ID_TOKEN`, `TOKEN_EXPIRED` for one that is over, `USER_NOT_FOUND`, `USER_DISABLED`.
        func holder(of token: SecretString) async throws(Failure) -> Holder {
            let principal: Principal
            do throws(IdentityError) {
                principal = try await services.accessTokens.authenticate(token)
            } catch .invalidToken {
                throw await reason(for: token)
            } catch {
                throw Failure(error)
            }
            guard let holder = principal.user, holder.clientID == api.client.id,
                principal.audiences == [api.options.projectID]
            else { throw Failure("INVALID_ID_TOKEN") }
            let user = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await api.accounts.user(holder.userID)
            }
            guard !user.user.isDisabled else { throw Failure("USER_DISABLED") }
            return Holder(user: user, session: holder.sessionID)
        }

        /// Why a token that is not kept is not good.
        private func reason(for token: SecretString) async -> Failure {
            guard let (issuer, localID) = named(in: token), issuer == api.options.idTokenIssuer else {
                return Failure("INVALID_ID_TOKEN")
            }
            do throws(IdentityError) {
                let user = try await api.accounts.user(localID: localID)
                return Failure(user.user.isDisabled ? "USER_DISABLED" : "TOKEN_EXPIRED")
            } catch {
                return Failure(error)
            }
        }

        /// Who has issued a token to whom, if the one is us.
        private func named(in token: SecretString) -> (issuer: String, subject: String)? {
            let (issuer, subject): (String?, String?)
            if api.options.hasUnsignedTokens {
                let parts = token.revealedText.split(separator: ".")
                let claims = parts.count == 2 ? Base64URL.decode(parts[1]).flatMap { try? JSON.parse($0) } : nil
                (issuer, subject) = (claims?["iss"]?.stringValue, claims?["sub"]?.stringValue)
            } else {
                guard let ring = services.keys.value, let claims = try? ring.claims(of: token.revealedText, as: .idToken) else {
                    return nil
                }
                (issuer, subject) = (claims.issuer, claims.subject)
            }
            guard let issuer, let subject else { return nil }
            return (issuer, subject)
        }

        private func keyRing() throws(Failure) -> KeyRing {
            do throws(IdentityError) {
                return try services.keys.current()
            } catch {
                throw Failure(error)
            }
        }

        private func claims(_ user: ProjectUser, _ facts: AccessTokenFacts) -> JSONObject {
            let session = facts.session
            var claims = JSONObject()
            let isCustom = ProjectAccounts.customToken.map { session.methods.contains($0) } ?? false
            // What the project's server has said of this session goes before what is said of the user.
            let own = user.user.claims.members + session.ownClaims.members
            for member in own where !CustomClaims.reservedNames.contains(member.key) { claims[member.key] = member.value }
            if !user.user.roles.isEmpty { claims["roles"] = .array(user.user.roles.map { .string($0) }) }
            claims["iss"] = .string(api.options.idTokenIssuer)
            claims["aud"] = .string(api.options.projectID)
            claims["auth_time"] = .integer(session.authenticatedAt.seconds)
            claims["user_id"] = .string(user.localID)
            claims["sub"] = .string(user.localID)
            claims["iat"] = .integer(facts.issuedAt.seconds)
            claims["exp"] = .integer(facts.expiresAt.seconds)
            // Two of one second would else be one token, and both would end with either session.
            claims["jti"] = .string(facts.tokenID.description)
            // The feed of revocations tells of the end of a session by it.
            claims["sid"] = .string(session.id.text)
            var identities = JSONObject()
            for identity in user.identities {
                let name = ProviderName.wire(identity.provider)
                identities[name] = .array((identities[name]?.arrayValue ?? []) + [.string(identity.subject)])
            }
            if let email = user.user.email {
                claims["email"] = .string(email.typed)
                claims["email_verified"] = .bool(user.user.emailVerified)
                identities["email"] = .array([.string(email.typed)])
            }
            if let name = user.user.displayName { claims["name"] = .string(name.text) }
            if let photo = user.user.photoURL { claims["picture"] = .string(photo.text) }
            if let phone = user.user.phoneNumber {
                claims["phone_number"] = .string(phone)
                identities["phone"] = .array([.string(phone)])
            }
            let provider = Self.signInProvider(session, isCustom: isCustom)
            if provider == "anonymous" { claims["provider_id"] = .string(provider) }
            var firebase = JSONObject()
            firebase["identities"] = .object(identities)
            firebase["sign_in_provider"] = .string(provider)
            claims["firebase"] = .object(firebase)
            return claims
        }

        private static func signInProvider(_ session: Session, isCustom: Bool) -> String {
            if let provider = session.provider { return ProviderName.wire(provider) }
            // Who has set a password since then goes on with it.
            if isCustom, !session.methods.contains(.password) { return "custom" }
            return session.methods.isEmpty ? "anonymous" : "password"
        }
    }

    /// Whether a custom token cannot have a claim of this name: what the server alone says, and the roles, which an operator gives.
    static func isReserved(claim name: String) -> Bool {
        CustomClaims.reservedNames.contains(name) || name == "roles"
    }

    /// Providers as Firebase calls them.
    enum ProviderName {
        /// Those that Firebase has a name for, by what an import calls them here.
        private static let known = [
            "google": "google.com", "apple": "apple.com", "facebook": "facebook.com", "twitter": "twitter.com",
            "github": "github.com", "microsoft": "microsoft.com", "yahoo": "yahoo.com", "linkedin": "linkedin.com",
            "playgames-google": "playgames.google.com", "gc-apple": "gc.apple.com",
        ]

        static func wire(_ id: ProviderID) -> String {
            known[id.text] ?? "oidc.\(id)"
        }

        static func id(_ name: String) -> ProviderID? {
            if let id = known.first(where: { $0.value == name })?.key { return ProviderID(id) }
            return name.hasPrefix("oidc.") ? ProviderID(String(name.dropFirst(5))) : nil
        }
    }
}
