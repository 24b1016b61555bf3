import HTTP
import Text

/// A form of a sign-in page, with its token and where to go on.
struct PageForm {
    private var markup: Markup

    /// - Parameter token: of the browser, for a form that begins a session; else of the session in which it acts.
    init(_ visit: Visit, to action: StaticString, token: SecretString, destination: Destination? = nil) {
        markup =
            "<form method=\"post\" action=\"\(visit.base)\(action)\"><input type=\"hidden\" name=\"form_token\" value=\"\(token.revealedText)\">"
        if let destination, destination != .account { hidden("continue", destination.text) }
    }

    mutating func hidden(_ name: StaticString, _ value: String) {
        markup += "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
    }

    /// Whose password the form is about, for password managers.
    mutating func username(_ name: String) {
        guard !name.isEmpty else { return }
        markup += "<input name=\"username\" autocomplete=\"username\" value=\"\(name)\" hidden readonly>"
    }

    /// A field with its label, a hint, and what is wrong with it, which a screen reader reads along.
    mutating func field(_ field: Field) {
        let described = [field.fault == nil ? nil : "\(field.name)-fault", field.hint == nil ? nil : "\(field.name)-hint"]
            .compactMap(\.self).joined(separator: " ")
        markup += "<label for=\"\(field.id ?? field.name)\">\(field.label)</label>"
        if let fault = field.fault { markup += "<p class=\"fault\" id=\"\(field.name)-fault\">\(fault)</p>" }
        markup += "<input id=\"\(field.id ?? field.name)\" name=\"\(field.name)\" type=\"\(field.type.html)\""
        markup += " autocomplete=\"\(field.autocomplete)\" value=\"\(field.value)\""
        if field.isRequired { markup += " required" }
        switch field.type {
        case .email, .name: markup += " autocapitalize=\"none\" spellcheck=\"false\""
        case .code: markup += " autocapitalize=\"characters\" spellcheck=\"false\""
        case .text, .password: break
        }
        if field.fault != nil { markup += " aria-invalid=\"true\"" }
        if field.hasFocus { markup += " autofocus" }
        if !described.isEmpty { markup += " aria-describedby=\"\(described)\"" }
        markup += ">"
        if let hint = field.hint { markup += "<p class=\"hint\" id=\"\(field.name)-hint\">\(hint)</p>" }
    }

    mutating func check(_ name: StaticString, _ label: String, isOn: Bool = false, isRequired: Bool = false) {
        markup += "<label class=\"check\"><input type=\"checkbox\" name=\"\(name)\" value=\"on\""
        if isOn { markup += " checked" }
        if isRequired { markup += " required" }
        markup += "><span>\(label)</span></label>"
    }

    mutating func paragraph(_ text: String, _ kind: StaticString = "soft") {
        markup += "<p class=\"\(kind)\">\(text)</p>"
    }

    /// - Parameters:
    ///   - kind: how it looks.
    ///   - describes: for a screen reader, where the text alone does not say what it is about.
    mutating func button(
        _ text: String, kind: StaticString = "main", id: StaticString? = nil, name: StaticString? = nil, value: String = "",
        picture: Markup? = nil, describes: String? = nil
    ) {
        markup += "<button class=\"\(kind)\""
        if let id { markup += " id=\"\(id)\"" }
        if let name { markup += " name=\"\(name)\" value=\"\(value)\"" }
        if let describes { markup += " aria-label=\"\(text): \(describes)\"" }
        markup += ">"
        if let picture { markup += picture }
        markup += "<span>\(text)</span></button>"
    }

    /// What a user answers who is asked for access.
    mutating func decision(_ words: SignInWords) {
        button(words[.consentAllow], id: "consent", name: "decision", value: "allow")
        button(words[.consentDeny], kind: "plain", id: "deny", name: "decision", value: "deny")
    }

    /// The whole of it.
    var html: Markup { markup + "</form>" }

    struct Field {
        enum Kind: Sendable {
            case text, email, password
            /// An address or a username.
            case name
            /// Letters that make no words.
            case code

            fileprivate var html: StaticString {
                switch self {
                case .text, .name, .code: "text"
                case .email: "email"
                case .password: "password"
                }
            }
        }

        let name: StaticString
        let label: String
        var type = Kind.text
        var id: StaticString?
        let autocomplete: StaticString
        var value = ""
        var hint: String?
        var fault: String?
        var isRequired = true
        var hasFocus = false
    }
}

/// A page with a form, which is shown once more when something is wrong.
protocol FormView {
    /// What is wrong with the whole of it.
    var problem: SignInText? { get set }

    func response(_ status: Status, _ visit: Visit, _ fields: ResponseFields) -> Response
}

extension FormView {
    /// For a form that is not of this browser: the page was open for too long, or the browser keeps no cookies.
    func notOwn(_ visit: Visit) -> Response {
        var view = self
        view.problem = visit.secret.isNew ? .cookiesNeeded : .formIsOld
        return view.response(.forbidden, visit, [:])
    }

    func tooMany(retryAfter delay: Duration, _ visit: Visit) -> Response {
        var view = self
        view.problem = .tooMany
        return view.response(.tooManyRequests, visit, ["Retry-After": String(delay.retrySeconds)])
    }
}
