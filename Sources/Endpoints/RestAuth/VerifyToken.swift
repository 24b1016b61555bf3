import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST token/verify/`: whether a JWT of 7.x is good.
    struct VerifyToken: Endpoint {
        let path = "/token/verify/"

        let services: Services
        let api: Parts

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            var fields = try Fields(request)
            let token = fields.secret("token")
            try fields.check()
            guard let token else { throw .token(.token(.invalid)) }
            switch api.tokens.read(token, at: api.system.now()) {
            case .valid(let claims): try await checkLife(of: token, claims)
            // By this copy's clock; whether an access token still lives is for the store to say.
            case .expired(let claims) where Claims.kind(of: claims) == .access: try await checkLife(of: token, claims)
            case .expired, .foreign: throw .token(.token(.invalid))
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.endObject()
            return words.response(.ok, writer)
        }

        /// A token that was revoked is not good, whatever its signature says.
        private func checkLife(of token: SecretString, _ claims: JSONObject) async throws(Failure) {
            do throws(IdentityError) {
                if Claims.kind(of: claims) == .refresh {
                    try await services.sessions.checkRefreshToken(SecretString(claims["jti"]?.stringValue ?? ""))
                } else {
                    _ = try await services.accessTokens.authenticate(token, for: .read)
                }
            } catch .invalidRefreshToken {
                throw .nonField(.token(.blacklisted))
            } catch .invalidToken {
                throw .token(.token(.invalid))
            } catch .userNotFound {
                throw .token(.token(.invalid))
            } catch {
                throw .identity(error)
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Whether a JWT is good", body: .required(.object([.required("token", .string)])),
                responses: [.json(.ok, "It is.", .object([])), Failure.fieldsDocumented(), Authenticator.refusals[0]])
        }
    }
}
