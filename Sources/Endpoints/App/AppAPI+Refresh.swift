import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/refresh`: a new access token for a refresh token.
    ///
    /// The apps that this API was made for keep their first refresh token for ever, so the session keeps it too. One that sends `"rotate": true`
    /// gets a new refresh token, now and at each refresh that follows.
    struct Refresh: Endpoint {
        static let method = Method.post
        static let path = "/auth/refresh"
        static let accepts = AcceptedContent.json

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard !request.body.isEmpty else { throw .refreshTokenRequired }
            var body = try JSONBody(request)
            let token = try RefreshTokenField.read(body.fields)
            let wantsRotation = body.fields.optionalBool("rotate") ?? false
            guard body.fields.isClean else { throw .invalidInput(body.issues) }
            do throws(IdentityError) {
                let tokens = try await services.sessions.refresh(
                    token, RefreshOptions(rotation: wantsRotation, for: services.app.id), caller: Caller(request))
                return Self.response(tokens, rotates: tokens.rotates)
            } catch .userNotFound {
                throw .unknownUser
            } catch {
                throw .identity(error)
            }
        }

        private static func response(_ tokens: SessionTokens, rotates: Bool) -> Response {
            var writer = JSONWriter(capacity: 2048)
            writer.beginObject()
            writer.member("accessToken", tokens.accessToken.revealedText)
            if rotates {
                writer.member("token", tokens.accessToken.revealedText)
                writer.member("refreshToken", tokens.refreshToken.revealedText)
            }
            writer.endObject()
            return .appJSON(.ok, writer)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Get a new access token",
                details:
                    "A session that began without `rotate` keeps its refresh token. With `rotate`, now or at its beginning, each "
                    + "refresh gives a new one; a client that did not get the answer repeats the request.",
                body: .required(.object([.required("refreshToken", .nonEmpty), .optional("rotate", Login.rotate)])),
                responses: [
                    .json(.ok, "The tokens to use from now on.", tokens), Failure.tokenRequiredDocumented,
                    Failure.invalidInputDocumented,
                    Failure.documented(
                        .unauthorized, "Invalid refresh token", "It is none, it was used up, or its session has ended."),
                    Failure.documented(.unauthorized, "User not found", "Its user has been deleted."), Failure.limitedDocumented,
                ])
        }

        private static let tokens = Schema.object([
            .required("accessToken", .string), .optional("token", .string.described("The access token once more.")),
            .optional("refreshToken", .string),
        ])
    }

    /// `refreshToken` in a body.
    enum RefreshTokenField {
        /// - Throws: `AppAPI.Failure.refreshTokenRequired` when it is missing, empty or null; 401 when it is no string.
        static func read(_ fields: FieldReader) throws(Failure) -> SecretString {
            switch fields.value("refreshToken") {
            case nil, .null?, .string("")?: throw .refreshTokenRequired
            case .string(let text)?: return SecretString(text)
            case .bool?, .integer?, .double?, .array?, .object?: throw .identity(.invalidRefreshToken)
            }
        }
    }
}
