import HTTP
import Identity
import Routing
import Text

/// The account page.
struct AccountView {
    /// A part of it that opens and closes.
    enum Part {
        case name, password, email, delete
    }

    struct Service {
        let id: ClientID
        let name: String
        let scopes: [String]
        let grantedAt: Timestamp
    }

    let parts: SignInPages.Parts
    let session: CookieSession
    let user: User
    let hasPassword: Bool
    let identities: [ExternalIdentity]
    let devices: [Session]
    let services: [Service]
    /// What is open because something is wrong in it.
    var open: Part?
    var faults: [String: String] = [:]
    var values: [String: String] = [:]
    var notice: (text: String, isProblem: Bool)?

    /// Reads what it shows.
    init(_ parts: SignInPages.Parts, _ session: CookieSession) async throws(SignInPages.Failure) {
        self.parts = parts
        self.session = session
        let id = session.session.userID
        let read = try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            let user = try await parts.services.accounts.user(id)
            let hasPassword = try await parts.services.accounts.hasPassword(id)
            let identities = try await parts.services.accounts.identities(of: id)
            let devices = try await parts.services.sessions.list(of: id)
            return (user, hasPassword, identities, devices, try await parts.consentedServices(of: id))
        }
        (user, hasPassword, identities, devices, services) = read
    }

    func response(_ status: Status, _ visit: Visit) -> Response {
        let words = visit.words
        var page = Page(title: words[.account], language: words.language, look: words.look, hidesAddress: false)
        if let notice { notice.isProblem ? page.alert(notice.text) : page.status(notice.text) }
        identity(&page, visit)
        waysIn(&page, visit)
        deviceList(&page, visit)
        serviceList(&page, visit)
        ending(&page, visit)
        var fields: ResponseFields = [:]
        if notice != nil { fields.append(Notice.deletion(visit)) }
        return page.response(status, fields: fields)
    }

    private func form(_ visit: Visit, _ action: StaticString) -> PageForm {
        PageForm(visit, to: action, token: session.formToken.text)
    }

    private func details(_ part: Part, _ title: String, _ content: Markup) -> Markup {
        open == part
            ? "<details open><summary>\(title)</summary>\(content)</details>"
            : "<details><summary>\(title)</summary>\(content)</details>"
    }

    private func identity(_ page: inout Page, _ visit: Visit) {
        let words = visit.words
        let known = address.isEmpty ? words[.accountWithoutEmail] : address
        if let name = user.displayName {
            page.append("<p><strong>\(name.text)</strong><br>\(known)</p>")
        } else {
            page.paragraph(known)
        }
        if !user.emailVerified, !address.isEmpty {
            var form = form(visit, "/account/verification")
            form.button(words[.sendConfirmation], kind: "small")
            page.append("<div class=\"row\"><p class=\"soft\">\(words[.emailUnproved])</p>\(form.html)</div>")
        }
        var name = form(visit, "/account/name")
        name.field(
            PageForm.Field(
                name: "name", label: words[.accountName], autocomplete: "name",
                value: values["name"] ?? user.displayName?.text ?? "", fault: faults["name"], isRequired: false,
                hasFocus: faults["name"] != nil))
        name.button(words[.saveName])
        var email = form(visit, "/account/new-email")
        email.paragraph(words[.changeEmailText])
        email.field(
            PageForm.Field(
                name: "email", label: words[.newEmail], type: .email, autocomplete: "email", value: values["email"] ?? "",
                fault: faults["email"], hasFocus: faults["email"] != nil))
        if hasPassword {
            email.field(
                PageForm.Field(
                    name: "password", label: words[.oldPassword], type: .password, id: "email_password",
                    autocomplete: "current-password", fault: faults["password"], hasFocus: faults["password"] != nil))
        }
        email.button(words[.changeEmailButton])
        page.append(details(.name, words[.accountName], name.html) + details(.email, words[.changeEmail], email.html))
    }

    private func waysIn(_ page: inout Page, _ visit: Visit) {
        let words = visit.words
        page.append("<h2>\(words[.waysIn])</h2>")
        var rows: Markup = ""
        for provider in parts.providerChoices {
            let isLinked = identities.contains { $0.provider == provider.id }
            var form = form(visit, isLinked ? "/account/unlink" : "/account/link")
            form.hidden("provider", provider.id.text)
            form.button(words[isLinked ? .unlink : .link], kind: "small", describes: provider.name)
            rows += "<li class=\"row\"><span>\(provider.name)</span>\(form.html)</li>"
        }
        if !parts.providerChoices.isEmpty { page.append("<ul>\(rows)</ul>") }
        if !hasPassword { page.append("<p class=\"soft\">\(words[.hasNoPassword])</p>") }
        var form = form(visit, "/account/new-password")
        form.username(address)
        if hasPassword {
            form.field(
                PageForm.Field(
                    name: "old_password", label: words[.oldPassword], type: .password, autocomplete: "current-password",
                    fault: faults["old_password"], hasFocus: faults["old_password"] != nil))
        }
        form.field(
            PageForm.Field(
                name: "new_password", label: words[.newPassword], type: .password, autocomplete: "new-password",
                hint: words[.passwordHint, ("minimum", String(Password.minimumLength))], fault: faults["new_password"],
                hasFocus: faults["new_password"] != nil))
        form.button(words[.savePassword])
        page.append(details(.password, words[hasPassword ? .changePassword : .setPassword], form.html))
    }

    private func deviceList(_ page: inout Page, _ visit: Visit) {
        let words = visit.words
        page.append("<h2>\(words[.devices])</h2>")
        var rows: Markup = ""
        for device in devices {
            let name = DeviceName.text(device.device.text)
            let network = device.network.map { " · \($0.text)" } ?? ""
            let used = words[.lastUsed, ("day", words.day(device.lastUsedAt.iso8601))]
            let text: Markup = "<div><h3>\(name)</h3><small>\(used)\(network)</small></div>"
            if device.id == session.session.id {
                rows += "<li class=\"row\">\(text)<small>\(words[.thisDevice])</small></li>"
            } else {
                var form = form(visit, "/account/end-session")
                form.hidden("session", device.id.text)
                form.button(words[.endDevice], kind: "small", describes: name)
                rows += "<li class=\"row\">\(text)\(form.html)</li>"
            }
        }
        page.append("<ul>\(rows)</ul>")
        if devices.contains(where: { $0.id != session.session.id }) {
            var form = form(visit, "/account/end-others")
            form.button(words[.endOthers], kind: "plain")
            page.append(form.html)
        }
    }

    private func serviceList(_ page: inout Page, _ visit: Visit) {
        let words = visit.words
        page.append("<h2>\(words[.consents])</h2>")
        guard !services.isEmpty else { return page.append("<p class=\"soft\">\(words[.noConsents])</p>") }
        page.append("<p class=\"soft\">\(words[.consentsText])</p>")
        var rows: Markup = ""
        for service in services {
            var form = form(visit, "/account/withdraw")
            form.hidden("client", service.id.text)
            form.button(words[.withdraw], kind: "small", describes: service.name)
            let scopes = service.scopes.map { words.scope($0) }.joined(separator: words.language == .japanese ? "、" : ", ")
            let granted = words[.grantedOn, ("day", words.day(service.grantedAt.iso8601))]
            rows += "<li><h3>\(service.name)</h3><small>\(scopes)<br>\(granted)</small>\(form.html)</li>"
        }
        page.append("<ul>\(rows)</ul>")
    }

    private func ending(_ page: inout Page, _ visit: Visit) {
        let words = visit.words
        page.append("<div class=\"apart\"><a class=\"button\" href=\"\(visit.base)/sign-out\">\(words[.signOutButton])</a></div>")
        var form = form(visit, "/account/delete")
        form.paragraph(words[.deleteText])
        form.check("confirmed", words[.deleteConfirm], isRequired: true)
        form.button(words[.deleteButton], kind: "bad")
        page.append("<div class=\"apart\">\(details(.delete, words[.deleteAccount], form.html))</div>")
    }

    private var address: String { user.email?.typed ?? "" }
}

extension SignInWords {
    /// What a scope lets a client do.
    func scope(_ name: String) -> String {
        switch name {
        case "openid": self[.scopeOpenID]
        case "profile": self[.scopeProfile]
        case "email": self[.scopeEmail]
        case "address": self[.scopeAddress]
        case "phone": self[.scopePhone]
        case "offline_access": self[.scopeOffline]
        default:
            look.texts[language.rawValue]?[PageTexts.scopePrefix + name].map { ofService($0) }
                ?? self[.scopeOther, ("scope", name)]
        }
    }
}

/// What people call a browser or an app, by what it calls itself (`User-Agent`). Untrusted text, for a list.
enum DeviceName {
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"), ("FxiOS/", "Firefox"),
        ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("Mac OS X", "Mac"),
        ("CrOS", "Chromebook"), ("Linux", "Linux"),
    ]
    private static let longest = 60

    static func text(_ agent: String) -> String {
        guard agent.hasPrefix("Mozilla/") else { return short(agent) }
        let browser = browsers.first { agent.contains($0.0) }?.1
        let system = systems.first { agent.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return "\(browser) · \(system)"
        case (let name?, nil), (nil, let name?): return name
        case (nil, nil): return short(agent)
        }
    }

    /// Apps begin with their name.
    private static func short(_ agent: String) -> String {
        let name = agent.prefix { $0 != "/" && $0 != "(" }
        let text = name.isEmpty ? agent[...] : name
        return text.isEmpty ? "?" : String(text.prefix(longest))
    }
}
