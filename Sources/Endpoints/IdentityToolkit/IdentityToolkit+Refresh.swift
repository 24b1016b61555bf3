import HTTP
import Identity
import Text

/// Another ID token for a refresh token.
extension IdentityToolkit.Core {
    var refreshEndpoint: Endpoint {
        .object("Refresh", .post, .key, [Host.token + "/v1/token"]) { call throws(Failure) in try await self.refresh(call) }
    }

    private func refresh(_ call: Call) async throws(Failure) -> JSONObject {
        guard let grantType = call.fields.nonEmpty("grantType") else { throw Failure("MISSING_GRANT_TYPE") }
        guard grantType == "refresh_token" else { throw Failure("INVALID_GRANT_TYPE") }
        guard let token = call.fields.secret("refreshToken") else { throw Failure("MISSING_REFRESH_TOKEN") }
        let issued: IdentityToolkit.IDTokens.Issued
        do throws(IdentityError) {
            issued = try await tokens.refresh(token, call.caller)
        } catch .invalidRefreshToken {
            let standing = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.standing(ofRefused: token)
            }
            throw await refusal(standing)
        } catch {
            throw Failure(error)
        }
        var answer = JSONObject()
        answer["access_token"] = .string(issued.idToken.revealedText)
        answer["expires_in"] = .string(String(issued.life))
        answer["token_type"] = "Bearer"
        answer["refresh_token"] = .string(issued.refreshToken.revealedText)
        answer["id_token"] = .string(issued.idToken.revealedText)
        answer["user_id"] = .string(issued.user.localID)
        // The number that Google gives a project; the emulator's is this.
        answer["project_id"] = "12345"
        return answer
    }

    private func refusal(_ standing: RefreshTokenStanding) async -> Failure {
        switch standing {
        case .garbage: return Failure("INVALID_REFRESH_TOKEN")
        case .over(nil): return Failure("TOKEN_EXPIRED")
        case .over(let id?):
            do throws(IdentityError) {
                return Failure(try await accounts.user(id).user.isDisabled ? "USER_DISABLED" : "TOKEN_EXPIRED")
            } catch {
                return Failure(error)
            }
        }
    }
}
