import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /migrate/firebase`: a session for an ID token of the Firebase project that the users come from. An app that changes over signs nobody in anew.
    struct MigrateFirebase: Endpoint {
        static let method = Method.post
        static let path = "/migrate/firebase"
        static let accepts = AcceptedContent.json

        let services: Services
        let migration: FirebaseMigration

        func answer(_ request: Request) async throws(Failure) -> Response {
            var body = try JSONBody(request)
            let token = body.fields.string("idToken")
            let rotates = body.fields.optionalBool("rotate") ?? false
            guard let token, body.fields.isClean else { throw .invalidInput(body.issues) }
            let caller = Caller(request)
            return try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await exchange(SecretString(token), rotates ? .rotating : .static, caller)
            }
        }

        private func exchange(
            _ token: SecretString, _ refresh: RefreshRotation.Mode, _ caller: Caller
        ) async throws(IdentityError) -> Response {
            let admission = try await migration.admit(token, client: services.app, caller: caller)
            if let begun = admission.begun { return try await again(begun, admission.authentication.user, caller) }
            do throws(IdentityError) {
                let user = admission.authentication.user
                // Before the session begins: with it the token is used up, and the answer must be written.
                let settings = try await services.appSettings.settings(of: user.id)
                let tokens = try await services.sessions.begin(
                    admission.authentication, for: services.app, refresh: refresh, caller: caller)
                try await keep(tokens.session, of: admission, caller)
                return AuthResponse.make(.ok, user, settings, tokens)
            } catch {
                await migration.giveBack(admission)
                throw error
            }
        }

        /// Has the token name its session. Where that is too late, another session may have begun with it, and this one ends.
        private func keep(
            _ session: Session, of admission: FirebaseMigration.Admission, _ caller: Caller
        ) async throws(IdentityError) {
            do throws(IdentityError) {
                guard try await migration.note(session.id, of: admission) else { throw .unavailable(retryAfter: .seconds(1)) }
            } catch {
                try? await services.sessions.end(session.id, of: session.userID, reason: .revoked, caller: caller)
                throw error
            }
        }

        /// The answer once more, which may have been lost.
        private func again(_ id: SessionID, _ user: User, _ caller: Caller) async throws(IdentityError) -> Response {
            let settings = try await services.appSettings.settings(of: user.id)
            do throws(IdentityError) {
                let tokens = try await services.sessions.repeatTokens(of: id, for: services.app, caller: caller)
                return AuthResponse.make(.ok, user, settings, tokens)
            } catch .invalidToken {
                throw .invalidProviderToken
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Exchange an ID token of the old Firebase project for a session",
                details:
                    "The user must have been imported. A token is good once; an app gets a fresh one with `getIDToken(forcingRefresh: true)`.",
                body: .required(.object([.required("idToken", .string), .optional("rotate", Login.rotate)])),
                responses: [
                    .json(.ok, "The session has begun.", AuthResponse.schema), Failure.invalidInputDocumented,
                    Failure.documented(
                        .unauthorized, "Invalid OAuth token",
                        "It proves nothing, has been used, or the user is disabled or was signed out since the sign-in that it tells of."
                    ),
                    Failure.documented(.notFound, "User not found", "Nobody was imported with this id."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
