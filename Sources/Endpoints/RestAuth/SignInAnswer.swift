import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// What a user who has just signed in or registered gets: the key or the tokens, and the cookies.
    struct SignInAnswer: Sendable {
        /// Refresh tokens of 7.x.
        static let refreshLife = Duration.seconds(86_400)

        private let services: Services
        private let api: Parts
        private var options: Options { api.options }

        init(_ services: Services, _ api: Parts) {
            self.services = services
            self.api = api
        }

        /// A session that has begun, and its refresh token, where there are any.
        struct Begun: Sendable {
            let user: User
            let session: Session
            let refreshToken: SecretString?
        }

        /// Begins a session as the dialect wants it.
        func begin(_ authentication: Authentication, _ caller: Caller) async throws(IdentityError) -> Begun {
            guard let mode = options.refreshMode else {
                let terms = CookieTerms(use: .restAuth, lifetime: api.client.sessionLifetime, hasGrant: true)
                let begun = try await services.sessions.beginWithCookie(
                    authentication, for: api.client, terms: terms, caller: caller)
                return Begun(user: authentication.user, session: begun.session, refreshToken: nil)
            }
            let tokens = try await services.sessions.begin(authentication, for: api.client, refresh: mode, caller: caller)
            return Begun(user: authentication.user, session: tokens.session, refreshToken: tokens.refreshToken)
        }

        func answer(
            _ status: Status, _ begun: Begun, to request: Request, _ words: Words, _ caller: Caller
        ) async throws(Failure) -> Response {
            let user = begun.user
            let profile = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await api.profiles.profile(of: user)
            }
            let session = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let session = try await settled(begun.session, caller)
                try await endReplaced(request.head, by: session, caller)
                return session
            }
            var response: Response
            switch options.tokens {
            case .key: response = try await key(status, session, words)
            case .jwt: response = try await jwt(status, begun, profile, words)
            }
            if options.beginsCookieSession {
                response = response.setting(
                    Cookies.signedIn(
                        services.sessions.cookie(of: session, use: .restAuth),
                        formToken: services.sessions.formToken(of: session),
                        until: session.ownAbsoluteEnd, at: api.system.now(), options))
            }
            return response
        }

        /// With shared keys all sign-ins of a user are one session: the oldest there is, so that two that begin at once agree.
        private func settled(_ session: Session, _ caller: Caller) async throws(IdentityError) -> Session {
            guard options.tokens == .key, options.keySharing == .shared else { return session }
            let oldest = try await services.sessions.list(of: session.userID)
                .filter { $0.clientID == api.client.id && $0.isHeldByCookie == session.isHeldByCookie }
                .min { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
            guard let oldest, oldest.id != session.id else { return session }
            try await services.sessions.end(session.id, of: session.userID, reason: .signedOut, caller: caller)
            return oldest
        }

        /// Ends the session whose cookie this sign-in takes the place of. Where keys are shared it may be all that a user has on other devices:
        /// then only its cookie is void.
        private func endReplaced(_ head: RequestHead, by session: Session, _ caller: Caller) async throws(IdentityError) {
            guard options.beginsCookieSession, let cookie = Cookies.value(Cookies.session, in: head) else { return }
            do throws(IdentityError) {
                let replaced = try await services.sessions.session(of: cookie, use: .restAuth, slides: false).session
                guard replaced.id != session.id else { return }
                if options.tokens == .key, options.keySharing == .shared {
                    _ = try await services.sessions.changeCookie(of: replaced.id)
                } else {
                    try await services.sessions.signOut(cookie, use: .restAuth, caller: caller)
                }
            } catch .invalidToken {
                return
            }
        }

        private func key(_ status: Status, _ session: Session, _ words: Words) async throws(Failure) -> Response {
            let token = services.sessions.lastingToken(of: session)
            _ = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.issue(in: session, client: api.client) { _ in token }
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("key", token.revealedText)
            writer.endObject()
            return words.response(status, writer)
        }

        private func jwt(
            _ status: Status, _ begun: Begun, _ profile: Profile, _ words: Words
        ) async throws(Failure) -> Response {
            let user = begun.user
            let access = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.issue(in: begun.session, client: api.client) { facts in
                    api.tokens.sign(Claims.access(facts, user, profile, options))
                }
            }
            var writer = JSONWriter(capacity: 1024)
            writer.beginObject()
            guard options.dialect == .djRestAuth, let refreshToken = begun.refreshToken else {
                writer.member("token", access.text.revealedText)
                write(user, profile, to: &writer)
                return words.response(status, writer)
            }
            let end = min(access.issuedAt.adding(Self.refreshLife), begun.session.absoluteEnd)
            let refresh = api.tokens.sign(
                Claims.refresh(
                    refreshToken, userID: String(profile.number), issuedAt: access.issuedAt, expiresAt: end))
            writer.member("access", access.text.revealedText)
            writer.member("refresh", options.tokenCookies.isHTTPOnly ? "" : refresh.revealedText)
            if options.returnsExpiration {
                writer.member("access_expiration", access.expiresAt)
                writer.member("refresh_expiration", end)
            }
            write(user, profile, to: &writer)
            let cookies = Cookies.tokens(
                access: (access.text, access.expiresAt), refresh: (refresh, end), at: access.issuedAt, options)
            return words.response(status, writer).setting(cookies)
        }

        private func write(_ user: User, _ profile: Profile, to writer: inout JSONWriter) {
            writer.key("user")
            UserObject.write(user, profile, to: &writer)
            writer.endObject()
        }

        static let schema = Routing.Schema.anyOf([
            .object([.required("key", .string(matching: "^[0-9a-f]{40}$"))]),
            .object([.required("token", .string), .required("user", UserObject.schema)]),
            .object([
                .required("access", .string), .required("refresh", .string), .required("user", UserObject.schema),
                .optional("access_expiration", .time), .optional("refresh_expiration", .time),
            ]),
        ]).named("RestAuthSignIn")
    }
}
