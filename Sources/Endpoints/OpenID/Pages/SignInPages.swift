import HTTP
package import Identity
package import Routing
import Text

/// The pages on which people sign in and up, agree, sign out and look after their accounts: HTML without a script, in English and Japanese.
///
/// Authorization requests send browsers here, and a page that is done sends them back (`Destination`); nothing else is handed on.
package enum SignInPages {
    package static let name = "sign-in"

    package static func make(_ parts: Parts) -> RouteGroup {
        func route<Kind: Endpoint>(_ endpoint: Kind) -> Route { Self.route(endpoint, parts) }
        return RouteGroup(
            name: name,
            routes: [
                route(ShowSignIn(parts: parts)), route(SignIn(parts: parts)),
                route(ShowSignUp(parts: parts)), route(SignUp(parts: parts)),
                route(ShowForgotPassword(parts: parts)), route(ForgotPassword(parts: parts)),
                route(BeginProviderSignIn(parts: parts)), route(LinkProvider(parts: parts)),
                route(FinishProviderSignIn(parts: parts)), route(PostedProviderAnswer(parts: parts)),
                route(ShowConsent(parts: parts)), route(Consent(parts: parts)),
                route(ShowDevice(parts: parts)), route(Device(parts: parts)),
                route(ShowAccount(parts: parts)), route(ChangeName(parts: parts)), route(SendVerification(parts: parts)),
                route(NewPassword(parts: parts)), route(NewEmail(parts: parts)), route(Unlink(parts: parts)),
                route(EndSession(parts: parts)), route(EndOthers(parts: parts)), route(Withdraw(parts: parts)),
                route(DeleteAccount(parts: parts)),
                route(ShowSignOut(parts: parts)), route(SignOut(parts: parts)),
                route(EndSessionRequest(parts: parts)), route(PostedEndSessionRequest(parts: parts)),
            ],
            documentation: RouteGroupDocumentation(
                "The pages on which people sign in and look after their accounts, in English and Japanese.", failure: .string,
                failureType: "text/html"),
            failure: { failure, head in
                Failure.request(failure).response(
                    SignInWords(language: AcceptedLanguage(head), look: parts.services.look),
                    base: parts.base)
            })
    }

    private static func route<Kind: Endpoint>(_ endpoint: Kind, _ parts: Parts) -> Route {
        Route(
            Kind.method, Kind.path, accepts: Kind.method == .post ? .form : .none, documentation: Kind.documentation,
            handler: LimitFields.telling { request in
                var visit = Visit(request, parts)
                var response: Response
                do throws(Failure) {
                    response = try await endpoint.answer(&visit)
                } catch {
                    response = error.response(visit.words, base: visit.base)
                }
                if visit.secret.isNew, response.contentType != nil {
                    response.fields.append(visit.secret.cookie(parts.browser))
                }
                return response
            })
    }
}

extension SignInPages {
    /// One page, or what its form does. It throws why not; that becomes a page.
    protocol Endpoint: Sendable {
        static var method: Method { get }
        static var path: String { get }
        static var documentation: RouteDocumentation { get }

        func answer(_ visit: inout Visit) async throws(Failure) -> Response
    }

    /// What the pages are made with.
    package struct Parts: Sendable {
        let services: Services
        /// What stands before our paths where a browser sees them; empty for most. A proxy takes it away again.
        let base: String
        let browser: BrowserSession
        let options: Options
        let attempts: ProviderAttempts
        let random: @Sendable (Int) -> [UInt8]

        package init(
            services: Services, options: Options, random: @escaping @Sendable (Int) -> [UInt8]
        ) {
            self.services = services
            base = LocalAddress.path(of: services.authorization.issuer)
            browser = BrowserSession(services)
            attempts = ProviderAttempts(redis: services.redis, system: services.authorization.system)
            self.options = options
            self.random = random
        }
    }

    /// What an installation has decided of them.
    package struct Options: Sendable {
        /// How long the session of a browser lives, and how long one that is to be remembered.
        package var brief = SessionLifetime(idle: .seconds(30 * 60), absolute: .seconds(12 * 3600))
        package var remembered = SessionLifetime.standard
        /// Where the pages behind the links in mails are.
        package var mailPages = "http://localhost:8080"
        /// Whether people may say by their username who they are.
        package var takesUsernames = false
        /// Whether anybody can make an account.
        package var offersSignUp = true
        /// Whether somebody who signs up gets a mail to confirm the address.
        package var mailsVerification = true
        /// Those whose buttons are shown, as far as they are switched on and codes of theirs can be exchanged.
        package var providers: [ProviderChoice] = []

        package init() {}
    }
}

/// A request of a browser for one of our pages.
struct Visit: Sendable {
    let request: Request
    /// Those of the browser's language, until an authorization request asks for another.
    var words: SignInWords
    let secret: BrowserSecret
    private let parts: SignInPages.Parts

    init(_ request: Request, _ parts: SignInPages.Parts) {
        self.request = request
        self.parts = parts
        words = SignInWords(language: AcceptedLanguage(request.head), look: parts.services.look)
        secret = BrowserSecret(request, parts.browser, random: parts.random)
    }

    /// What stands before our paths where the browser sees them.
    var base: String { parts.base }

    var browser: BrowserSession { parts.browser }

    /// A browser that has come before is a device of its own, for the limits.
    var caller: Caller { Caller(request, in: words.language).on(secret.isNew ? nil : DeviceID(secret.binding)) }

    /// The fields of the query.
    var query: FormFields? { try? FormFields(parsing: request.head.queryBytes) }

    /// The live session of the browser.
    func session() async throws(SignInPages.Failure) -> CookieSession? {
        try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in try await parts.browser.current(request) }
    }

    /// The session that a sign-out of the browser is to end.
    func sessionToSignOut() async throws(SignInPages.Failure) -> CookieSession? {
        try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            try await parts.browser.sessionToSignOut(request, of: secret, caller: caller)
        }
    }

    /// Whose session the browser's was that is over; nil for none.
    func formerUser() async throws(SignInPages.Failure) -> UserID? {
        try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            try await parts.browser.formerUser(request)
        }
    }

    /// What people know the user of a session by: the address, or the name of who has none.
    func name(of session: CookieSession) async -> String {
        if let email = session.session.username { return email }
        let user = try? await parts.services.accounts.user(session.session.userID)
        return user?.displayName?.text ?? words[.withoutEmail]
    }

    /// The fields of a form that a page of ours has sent.
    /// - Throws: `crossSite` for one of another site's, `badRequest` for what is no form.
    func form() throws(SignInPages.Failure) -> FormFields {
        guard parts.services.pages.crossSiteRule.verdict(request.head) != .refused else { throw .crossSite }
        guard let form = try? FormFields(parsing: request.body) else { throw .badRequest }
        return form
    }

    /// Whether a form is of this very browser, whoever is signed in: for forms that begin a session.
    func isOwn(_ form: FormFields) -> Bool {
        form.secret(Self.tokenField).map { secret.matches(formToken: $0) } ?? false
    }

    /// Whether a form was made for this session: for those that act in it.
    func isOwn(_ form: FormFields, in session: CookieSession) -> Bool {
        form.secret(Self.tokenField).map { session.formToken.matches($0) } ?? false
    }

    /// The live session of the browser.
    /// - Throws: `needsSignIn` without one.
    func needsSession(_ destination: Destination = .account) async throws(SignInPages.Failure) -> CookieSession {
        guard let session = try await session() else { throw .needsSignIn(destination) }
        return session
    }

    /// The form of a page that was made for the browser's session, and that session.
    /// - Throws: `crossSite`, `needsSignIn`, `formIsOld`.
    func acting(for destination: Destination = .account) async throws(SignInPages.Failure) -> (FormFields, CookieSession) {
        let form = try form()
        let session = try await needsSession(destination)
        guard isOwn(form, in: session) else { throw .formIsOld }
        return (form, session)
    }

    /// Where to go on, as the query or the form says; the account page if that says nothing.
    /// - Throws: `badLink` for what is no page of ours.
    func destination(_ fields: FormFields?) throws(SignInPages.Failure) -> Destination {
        guard let text = fields?.value("continue"), !text.isEmpty else { return .account }
        guard let destination = Destination(text) else { throw .badLink }
        return destination
    }

    static let tokenField: StaticString = "form_token"
}

extension SignInPages.Parts {
    /// Begins the session of a browser, and goes on.
    func signIn(
        _ authentication: Authentication, isRemembered: Bool, for purpose: SignInPurpose, _ destination: Destination,
        _ visit: Visit
    ) async throws(IdentityError) -> Response {
        let (_, cookies) = try await browser.begin(
            authentication, life: isRemembered ? options.remembered : options.brief, isRemembered: isRemembered,
            for: visit.request, of: visit.secret, waiting: purpose.request?.client.id, caller: visit.caller)
        return visit.goOn(to: destination, with: cookies)
    }
}

extension Visit {
    /// To a page of ours (RFC 9700 §4.12: never 307).
    func goOn(to path: String, fields: ResponseFields = [:]) -> Response {
        var fields = fields
        fields.append("Location", base + path)
        fields.append("Cache-Control", "no-store")
        fields.append("Referrer-Policy", "same-origin")
        return .empty(.seeOther, fields: fields)
    }
}
