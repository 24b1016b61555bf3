import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /device`: asks for the code that a device shows (RFC 8628 §3.3).
    struct ShowDevice: Endpoint {
        static let method = Method.get
        static let path = "/device"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            if let notice = Notice(visit), [.deviceAllowed, .deviceDenied].contains(notice.text) {
                return DeviceView.done(notice.text, visit)
            }
            let typed = visit.query?.value("user_code") ?? ""
            let code = UserCode(typed)
            // What cannot be a code is not carried through the sign-in.
            let destination = code.flatMap { Destination("/device?user_code=\($0)") } ?? .device
            let session = try await visit.needsSession(destination)
            return DeviceView(session: session).form(.ok, code?.description ?? "", visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "The page on which somebody enters the code that a device shows",
                parameters: [.query("user_code", .string, "Filled in; the user looks at it.")], pageDocumented, signInDocumented)
        }
    }

    /// `POST /device`: says who asks and for what, once the code is right; then what the user decides.
    struct Device: Endpoint {
        static let method = Method.post
        static let path = "/device"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting(for: .device)
            let (typed, caller, view) = (form.value("user_code") ?? "", visit.caller, DeviceView(session: session))
            guard let code = UserCode(typed) else { return view.form(.badRequest, typed, visit, .deviceWrong) }
            let devices = parts.services.authorization.devices
            let found = try await Failure.mapIdentityErrors { () async throws(IdentityError) -> (DeviceRequest, Client)? in
                guard let request = try await devices.lookup(code, caller: caller),
                    let client = try await parts.services.clients.known(request.clientID.text)
                else { return nil }
                return (request, client)
            }
            guard let (decision, done) = Self.decision(form.value("decision"), session.session) else {
                guard let (asked, client) = found else { return view.form(.badRequest, typed, visit, .deviceWrong) }
                return await view.question(code, client, asked.scopes, visit)
            }
            let isDecided = try await Failure.mapIdentityErrors { () async throws(IdentityError) -> Bool in
                // Of a form that was sent twice the browser shows the answer to the second.
                guard let (asked, client) = found else { return try await devices.isDecided(code, decision) }
                if case .approved = decision, !client.isFirstParty {
                    try await parts.services.authorization.consents.grant(
                        asked.scopes, to: client.id, by: session.session.userID, in: session.session.id, caller: caller)
                }
                return try await devices.decide(code, decision, caller: caller)
            }
            guard isDecided else { return view.form(.badRequest, typed, visit, .deviceWrong) }
            return Notice(done).response(visit, at: .device)
        }

        /// What the user has decided, and what they are told then; nil while they have to be asked.
        private static func decision(_ text: String?, _ session: Session) -> (DeviceCodes.Decision, SignInText)? {
            switch text {
            case "allow": (.approved(session.userID, session.id), .deviceAllowed)
            case "deny": (.denied(session.userID, session.id), .deviceDenied)
            default: nil
            }
        }

        static var documentation: RouteDocumentation {
            document(
                "Enter the code that a device shows, and decide",
                form: [.required("user_code", .string), .optional("decision", .string)], pageDocumented,
                .empty(.seeOther, "It is decided, or nobody is signed in; `Location` says where to go on."))
        }
    }
}

/// The pages for devices with a code.
struct DeviceView {
    let session: CookieSession

    func form(_ status: Status, _ code: String, _ visit: Visit, _ fault: SignInText? = nil) -> Response {
        let words = visit.words
        var page = Page(title: words[.device], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.deviceText])
        var form = PageForm(visit, to: "/device", token: session.formToken.text)
        form.field(
            PageForm.Field(
                name: "user_code", label: words[.deviceCode], type: .code, autocomplete: "off", value: code,
                fault: fault.map { words[$0] }, hasFocus: true))
        form.button(words[.deviceButton], id: "submit")
        page.append(form.html)
        return page.response(status)
    }

    func question(_ code: UserCode, _ client: Client, _ scopes: [String], _ visit: Visit) async -> Response {
        let words = visit.words
        var page = Page(
            title: words[.consent, ("client", client.name)], language: words.language, look: words.look, hidesAddress: false)
        if let logo = client.presentation.logo { page.picture(logo, alternative: "", kind: "client") }
        page.append("<p>\(words[.deviceConfirm]) <code>\(code.description)</code></p>")
        page.append("<p class=\"soft\">\(words[.deviceWarning])</p>")
        page.paragraph(words[.consentAsks, ("email", await visit.name(of: session)), ("client", client.name)])
        page.append(ConsentView.scopes(scopes, words))
        var form = PageForm(visit, to: "/device", token: session.formToken.text)
        form.hidden("user_code", code.description)
        form.decision(words)
        page.append(form.html)
        return page.response(.ok)
    }

    /// What has been decided, once: a reload asks for another code.
    static func done(_ title: SignInText, _ visit: Visit) -> Response {
        let words = visit.words
        var page = Page(title: words[title], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.deviceClose])
        var fields: ResponseFields = [:]
        fields.append(Notice.deletion(visit))
        return page.response(.ok, fields: fields)
    }
}
