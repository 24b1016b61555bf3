import HTTP
import Identity
import Text

/// Session cookies of the project's pages.
extension IdentityToolkit.Core {
    var sessionCookieEndpoint: Endpoint {
        // The segment of the project has the method behind it.
        .object("Make a session cookie", .post, .administrator, [Self.projectPath]) { call throws(Failure) in
            guard call.request.pathParameters.first?.hasSuffix(":createSessionCookie") == true else {
                throw Failure(.notFound)
            }
            return try await self.sessionCookie(call)
        }
    }

    private func sessionCookie(_ call: Call) async throws(Failure) -> JSONObject {
        guard let token = call.fields.secret("idToken") else { throw Failure("MISSING_ID_TOKEN") }
        let wanted = call.fields.integer("validDuration") ?? 0
        let life = wanted == 0 ? 1_209_600 : wanted
        guard (300...1_209_600).contains(life) else { throw Failure("INVALID_DURATION") }
        var answer = JSONObject()
        answer["sessionCookie"] = .string(try await tokens.sessionCookie(token, life: life).revealedText)
        return answer
    }
}
