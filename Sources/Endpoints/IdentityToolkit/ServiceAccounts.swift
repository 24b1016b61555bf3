import Crypto
import HTTP
package import Identity
import JOSE
import Routing
import Text

extension IdentityToolkit {
    /// Servers of the project, which prove who they are as Google's service accounts do: by a JWT signed with a key that the operator has
    /// registered. Each is a client with keys.
    package struct ServiceAccounts: Sendable {
        /// What Google's libraries name as the audience, whatever the file says.
        private static let tokenAudience = "https://oauth2.googleapis.com/token"
        package static let tokenPath = "/oauth2.googleapis.com/token"
        /// What an account may ask for.
        package static let scopes = [
            "https://www.googleapis.com/auth/identitytoolkit", "https://www.googleapis.com/auth/firebase",
            "https://www.googleapis.com/auth/cloud-platform",
        ]
        private static let maximumLife: Duration = .seconds(3600)
        private static let leeway: Duration = .seconds(300)

        private let services: Services
        private let api: Parts

        init(_ services: Services, _ api: Parts) {
            self.services = services
            self.api = api
        }

        /// The address by which a service account is known, in `iss` and in its file.
        package static func email(of id: ClientID, project: String) -> String {
            "\(id)\(domain(of: project))"
        }

        static func domain(of project: String) -> String { "@\(project).iam.gserviceaccount.com" }

        /// What a token says that one of the accounts has signed; nil for any other.
        func claims(of token: SecretString, audiences: [String]) async throws(Failure) -> JSONObject? {
            try await verified(token, audiences: audiences)?.claims
        }

        private func verified(
            _ token: SecretString, audiences: [String]
        ) async throws(Failure) -> (client: Client, claims: JSONObject)? {
            let text = token.revealedText
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            // Whose it says that it is decides which keys it is held against, and nothing else.
            guard parts.count == 3, text.utf8.count <= UnverifiedJWS.maximumByteCount,
                let unverified = Base64URL.decode(parts[1]).flatMap({ try? JSON.parse($0) }),
                let email = unverified["iss"]?.stringValue, let client = try await client(email),
                case .set(let keys)? = client.keys, let jws = try? UnverifiedJWS.parse(text)
            else { return nil }
            for key in keys.keys {
                guard let verified = try? jws.verify(with: key, allowing: [.rs256]), let claims = try? verified.claims(),
                    isGood(claims, audiences: audiences, email: email),
                    let object = try? JSON.parse(verified.payload).objectValue
                else { continue }
                return (client, object)
            }
            return nil
        }

        private func isGood(_ claims: JWTClaims, audiences: [String], email: String) -> Bool {
            let now = api.system.now()
            guard claims.issuer == email, claims.subject == nil || claims.subject == email,
                claims.audience.count == 1, audiences.contains(claims.audience[0]), let expiresAt = claims.expiresAt,
                let issuedAt = claims.issuedAt
            else { return false }
            return expiresAt > now && issuedAt <= now.adding(Self.leeway)
                && expiresAt.duration(since: issuedAt) <= Self.maximumLife
        }

        private func client(_ email: String) async throws(Failure) -> Client? {
            let suffix = Self.domain(of: api.options.projectID)
            guard email.hasSuffix(suffix), let id = ClientID(String(email.dropLast(suffix.count))) else { return nil }
            do throws(IdentityError) {
                let client = try await services.clients.present(id).client
                return isAccount(client) ? client : nil
            } catch .invalidClient {
                return nil
            } catch {
                throw Failure(error)
            }
        }

        /// Whoever has keys is none for it: an account signs anybody in by a custom token, and only an operator makes one.
        private func isAccount(_ client: Client) -> Bool {
            client.authentication == .privateKeyJWT && !client.isDisabled && client.registration == .byOperator
                && !Set(client.scopes).isDisjoint(with: Self.scopes)
        }

        /// Gives a service account an access token for its assertion (RFC 7523 §2.1).
        func token(_ call: Call) async -> Response {
            let audiences = [Self.tokenAudience, api.options.site + Self.tokenPath]
            guard call.fields.nonEmpty("grantType") == "urn:ietf:params:oauth:grant-type:jwt-bearer",
                let assertion = call.fields.secret("assertion")
            else { return Self.refusal("unsupported_grant_type", "Only jwt-bearer assertions are taken.") }
            do throws(Failure) {
                guard let (client, claims) = try await verified(assertion, audiences: audiences) else {
                    return Self.refusal("invalid_grant", "Invalid JWT Signature.")
                }
                let memory = OnceMemory(redis: services.redis)
                let name = claims["jti"]?.stringValue.flatMap { $0.isEmpty ? nil : "assertion:\(client.id):\($0)" }
                if let name {
                    let isFirst = try await Failure.mapServiceFailures { () throws(ServiceFailure) in
                        try await memory.admit(name, life: Self.maximumLife + Self.leeway)
                    }
                    guard isFirst else { return Self.refusal("invalid_grant", "The assertion has been used.") }
                }
                let wanted = (claims["scope"]?.stringValue ?? "").split(separator: " ").map { String($0) }
                let scopes = wanted.isEmpty ? client.scopes : client.scopes.filter { wanted.contains($0) }
                guard !scopes.isEmpty else { return Self.refusal("invalid_scope", "None of these scopes is the account's.") }
                let issued: ClientTokens.Issued
                do throws(IdentityError) {
                    issued = try await api.clientTokens.issue(to: client, scopes: scopes)
                } catch {
                    // It has led to nothing: the server may show it once more.
                    if let name { await memory.giveBack(name) }
                    throw Failure(error)
                }
                var answer = JSONObject()
                answer["access_token"] = .string(issued.accessToken.revealedText)
                answer["expires_in"] = .integer(issued.life.components.seconds)
                answer["token_type"] = "Bearer"
                return .json(.ok, JSONValue.object(answer).serialized, fields: .notStored)
            } catch {
                return error.response
            }
        }

        private static func refusal(_ error: String, _ text: String) -> Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("error", error)
            writer.member("error_description", text)
            writer.endObject()
            return .json(.badRequest, writer, fields: .notStored)
        }
    }
}
