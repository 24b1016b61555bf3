import HTTP
import Identity
import Routing
import Text

/// What tools that read no HTML get at the emulator's page, and its other pages.
extension IdentityToolkit.Core {
    static let emulatorActionPath = "/emulator/action"

    /// Where the page is the emulator's and nobody looks at it.
    func isForTools(_ request: Request) -> Bool {
        request.head.path.hasSuffix(Self.emulatorActionPath)
            && !request.head.values(named: "accept").contains { $0.contains("text/html") }
    }

    func toolsSuccess(_ mode: String, _ user: ProjectUser?) -> Response {
        let done =
            switch mode {
            case "resetPassword": "The password has been successfully updated."
            case "verifyAndChangeEmail": "The email has been successfully changed."
            case "recoverEmail": "The email has been successfully reset."
            default: "The email has been successfully verified."
            }
        var answer = JSONObject()
        answer["success"] = .string(done)
        let email = user?.user.email.map { JSONValue.string($0.typed) }
        answer[mode == "verifyAndChangeEmail" ? "newEmail" : "email"] = email
        return tools(.ok, answer)
    }

    func toolsFailure(_ request: Request) -> Response {
        let fields = try? FormFields(parsing: request.head.queryBytes)
        let sent = request.body.isEmpty ? nil : try? FormFields(parsing: request.body)
        func value(_ name: StaticString) -> String? { sent?.value(name) ?? fields?.value(name) }
        var answer = JSONObject()
        let what: (wish: String, instructions: String)?
        switch value("mode") {
        case "resetPassword": what = ("reset your password", "Try resetting your password again.")
        case "verifyEmail": what = ("verify your email", "Try verifying your email again.")
        case "verifyAndChangeEmail": what = ("change your email", "Try changing your email again.")
        case "recoverEmail":
            what = (
                "revert your email",
                "If you're trying to test the reverting email flow, try changing the email again to generate a new link."
            )
        case "signIn":
            answer["error"] = "Missing continueUrl query parameter"
            answer["instructions"] = "To sign in, append &continueUrl=YOUR_APP_URL to the link."
            what = nil
        default:
            answer["error"] = "Invalid mode"
            what = nil
        }
        if let what {
            answer["error"] = .string("Your request to \(what.wish) has expired or the link has already been used.")
            answer["instructions"] = .string(what.instructions)
        }
        if (value("oobCode") ?? value("code") ?? "").isEmpty {
            answer["error"] = "missing oobCode query parameter"
            answer["instructions"] = "Please modify the URL to specify an oobCode, such as ...&oobCode=YOUR_OOB_CODE"
        }
        return tools(.badRequest, answer)
    }

    private func tools(_ status: Status, _ answer: JSONObject) -> Response {
        let object = JSONObject([JSONObject.Member(key: "authEmulator", value: .object(answer))])
        return .json(status, JSONValue.object(object).serialized, fields: .notStored)
    }

    /// What the JavaScript SDK opens for a provider's pop-up. Who signs in at a provider does so there: a proof of nobody's making is none.
    var emulatorPageRoutes: [Route] {
        [
            ("/emulator/auth/handler", "Where a pop-up of the JavaScript SDK leads"),
            ("/emulator/auth/iframe", "What the JavaScript SDK has in a frame"),
        ].map { path, summary in
            Route(
                .get, path,
                documentation: RouteDocumentation(
                    summary,
                    responses: [
                        .text(.ok, "A page.", type: "text/html"), .json(.badRequest, "Something is missing in the query.", .any),
                    ]),
                handler: { request in self.emulatorPage(request) })
        }
    }

    private func emulatorPage(_ request: Request) -> Response {
        let fields = try? FormFields(parsing: request.head.queryBytes)
        func has(_ name: StaticString) -> Bool { fields?.value(name)?.isEmpty == false }
        guard !request.head.path.hasSuffix("handler") || has("apiKey") && has("providerId") else {
            return tools(
                .badRequest,
                JSONObject([JSONObject.Member(key: "error", value: "missing apiKey or providerId query parameters")]))
        }
        let words = PageWords(request.head, services.look)
        var page = Page(title: "Not offered here", language: words.language, look: words.look)
        page.paragraph("Sign in with signInWithCredential and the provider's ID token. There are neither pop-ups nor redirects.")
        return page.response(.ok)
    }
}
