import HTTP
import Identity
import Routing
import Text

/// The page behind a link with a code, which a `GET` shows and only its form uses: a mail scanner that follows links spoils nothing.
extension IdentityToolkit.Core {
    private static let actionPaths = ["/__/auth/action"]

    var pageRoutes: [Route] {
        let routes = (Self.actionPaths + (options.isEmulator ? [Self.emulatorActionPath] : [])).flatMap { path -> [Route] in
            [
                Route(
                    .get, path,
                    documentation: RouteDocumentation(
                        "The page behind the link of a mail",
                        responses: [
                            .text(.ok, "A page with a form.", type: "text/html"),
                            .empty(.seeOther, "Back to the app, with the code."),
                            .text(.notFound, "The link is void.", type: "text/html"),
                            .json(.badRequest, "The emulator's: what is wrong with the link.", .any),
                        ]),
                    handler: { request in await self.showPage(request) }),
                Route(
                    .post, path, accepts: .jsonOrAnyForm,
                    documentation: RouteDocumentation(
                        "Do what the page asks about", body: .optional(.any),
                        responses: [
                            .text(.ok, "A page: it is done.", type: "text/html"), .empty(.seeOther, "Back to the app."),
                            .json(.ok, "The emulator's, for tools: it is done.", .any),
                            .text(.badRequest, "The password is none to be had.", type: "text/html"),
                            .json(.badRequest, "The emulator's: what is wrong with the link.", .any),
                            .text(.notFound, "The link is void.", type: "text/html"),
                        ]),
                    handler: { request in await self.usePage(request) }),
            ]
        }
        return routes + (options.isEmulator ? emulatorPageRoutes : [])
    }

    private struct Action {
        let mode: String
        let code: SecretString
        let continuation: String?
        let words: PageWords
        let form: FormFields?
    }

    private func showPage(_ request: Request) async -> Response {
        let words = PageWords(request.head, services.look)
        guard let action = action(request.head.queryBytes, words) else { return void(words, request) }
        if action.mode == "signIn" { return backToApp(action, request) }
        do throws(IdentityError) {
            let meaning = try await accounts.meaning(of: action.code, in: services.confirmations, caller: Caller(request))
            return page(action, meaning, problem: nil) ?? void(words, request)
        } catch {
            return failed(error, words, request)
        }
    }

    private func page(_ action: Action, _ meaning: ActionCode, problem: String?) -> Response? {
        let words = action.words
        let title: PageText
        switch meaning {
        case .resetPassword where action.mode == "resetPassword": title = .passwordTitle
        case .verifyEmail where action.mode == "verifyEmail": title = .emailTitle
        case .changeEmail where action.mode == "verifyAndChangeEmail": title = .addressTitle
        case .recoverEmail where action.mode == "recoverEmail": title = .addressTitle
        default: return nil
        }
        var page = Page(title: words[title], language: words.language, look: words.look)
        if let problem { page.alert(problem) }
        let button: PageText
        switch meaning {
        case .resetPassword: button = .savePassword
        case .changeEmail(_, let address), .recoverEmail(_, let address):
            page.paragraph(words[.addressQuestion, ("address", address.typed)])
            button = .confirmEmail
        case .verifyEmail, .signIn:
            page.paragraph(words[.emailQuestion])
            button = .confirmEmail
        }
        page.form(code: action.code, button: words[button]) { page in
            page.hidden("mode", action.mode)
            if let url = action.continuation { page.hidden("continueUrl", url) }
            guard case .resetPassword = meaning else { return }
            page.passwordField("password", words[.newPassword], hint: nil, isFaulty: problem != nil)
        }
        return page.response(problem == nil ? .ok : .badRequest)
    }

    private func usePage(_ request: Request) async -> Response {
        let words = PageWords(request.head, services.look)
        guard let action = action(request.body, words) ?? action(request.head.queryBytes, words) else {
            return void(words, request)
        }
        let caller = Caller(request)
        var changed: ProjectUser?
        do throws(IdentityError) {
            if action.mode == "resetPassword" {
                let meaning = try await accounts.meaning(of: action.code, in: services.confirmations, caller: caller)
                guard let password = password(action, request), !password.isEmpty else {
                    return page(action, meaning, problem: words[.passwordMissing]) ?? void(words, request)
                }
                do throws(IdentityError) {
                    try await accounts.resetPassword(
                        code: action.code, to: password, in: services.confirmations, caller: caller)
                    await usedUp(action.code)
                    if case .resetPassword(let user) = meaning { changed = try? await accounts.user(user.id) }
                } catch .user(.invalidInput(let problems)) {
                    let problem = problems.first.map { words.problem($0.reason) } ?? words[.notAllowed]
                    return page(action, meaning, problem: problem) ?? void(words, request)
                }
            } else {
                changed = try await apply(action.code, caller).user
            }
        } catch {
            return failed(error, words, request)
        }
        if let url = action.continuation { return .empty(.seeOther, fields: ["Location": url, "Cache-Control": "no-store"]) }
        if isForTools(request) { return toolsSuccess(action.mode, changed) }
        var page = Page(
            title: words[action.mode == "resetPassword" ? .passwordSavedTitle : .emailConfirmedTitle], language: words.language,
            look: words.look)
        page.paragraph(words[action.mode == "resetPassword" ? .passwordSaved : .emailConfirmed])
        return page.response(.ok)
    }

    /// The app itself signs in with the code.
    private func backToApp(_ action: Action, _ request: Request) -> Response {
        guard let url = action.continuation, let query = request.head.query else { return void(action.words, request) }
        let told = query.split(separator: "&").filter { !$0.hasPrefix("continueUrl=") }.joined(separator: "&")
        // SDKs read the query, which ends where the fragment begins.
        let page = url.prefix { $0 != "#" }
        let location = "\(page)\(page.contains("?") ? "&" : "?")\(told)\(url.dropFirst(page.count))"
        return .empty(.seeOther, fields: ["Location": location, "Cache-Control": "no-store"])
    }

    private func action(_ form: [UInt8], _ words: PageWords) -> Action? {
        guard let fields = try? FormFields(parsing: form), let mode = fields.value("mode"),
            let code = fields.secret("oobCode") ?? fields.secret("code")
        else { return nil }
        let url = fields.value("continueUrl")
        if let url {
            // A link of somebody else's making leads nowhere.
            guard let host = LinkHost.named(in: url), allows(host: host) else { return nil }
        }
        return Action(mode: mode, code: code, continuation: url, words: words, form: fields)
    }

    private func password(_ action: Action, _ request: Request) -> SecretString? {
        let sent = try? FormFields(parsing: request.body)
        return [sent, action.form].compactMap { $0 }.lazy.compactMap { $0.secret("password") ?? $0.secret("newPassword") }.first
    }

    private func failed(_ error: IdentityError, _ words: PageWords, _ request: Request) -> Response {
        if case .code = error, isForTools(request) { return toolsFailure(request) }
        return PageFailure.identity(error).response(words)
    }

    private func void(_ words: PageWords, _ request: Request) -> Response {
        failed(.invalidCode, words, request)
    }
}
