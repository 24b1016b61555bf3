import HTTP
import Identity
import Text

/// Another ID token for a refresh token (contract §5.3).
extension IdentityToolkit.Core {
    var refreshEndpoint: Endpoint {
        .object("Refresh", .post, .key, [Host.token + "/v1/token"]) { call throws(Failure) in try await self.refresh(call) }
    }

    private func refresh(_ call: Call) async throws(Failure) -> JSONObject {
        guard let grantType = call.fields.nonEmpty("grantType") else { throw Failure("MISSING_GRANT_TYPE") }
        guard grantType == "refresh_token" else { throw Failure("INVALID_GRANT_TYPE") }
        guard let token = call.fields.secret("refreshToken") else { throw Failure("MISSING_REFRESH_TOKEN") }
        let refreshed: SessionTokens
        do throws(IdentityError) {
            refreshed = try await services.sessions.refresh(
                token, RefreshOptions(for: api.client.id), caller: call.caller)
        } catch .invalidRefreshToken {
            let standing = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.standing(ofRefused: token)
            }
            throw Failure(standing == .garbage ? "INVALID_REFRESH_TOKEN" : "TOKEN_EXPIRED")
        } catch {
            throw Failure(error)
        }
        let issued = try await tokens.issue(refreshed)
        var answer = JSONObject()
        answer["access_token"] = .string(issued.idToken.revealedText)
        answer["expires_in"] = .string(String(issued.life))
        answer["token_type"] = "Bearer"
        answer["refresh_token"] = .string(issued.refreshToken.revealedText)
        answer["id_token"] = .string(issued.idToken.revealedText)
        answer["user_id"] = .string(issued.user.localID)
        answer["project_id"] = .string(options.projectID)
        return answer
    }
}
