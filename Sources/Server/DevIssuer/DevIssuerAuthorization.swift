import Crypto
import HTTP
import Routing
import Text

/// The authorization endpoint of the issuer for development: in place of a sign-in, a form in which a developer types who it is to be.
struct DevIssuerAuthorization: Sendable {
    let kind: DevIssuerClaims
    let codes: DevIssuerCodes
    let now: @Sendable () -> Timestamp

    /// `GET …/authorize`
    func show(_ request: Request) -> Response {
        do throws(DevIssuerRefusal) {
            return form(try asked(request))
        } catch {
            return error.response
        }
    }

    /// `POST …/authorize`: the form. What the client has asked for is still in the query.
    func decide(_ request: Request) -> Response {
        do throws(DevIssuerRefusal) {
            let asked = try asked(request)
            guard let answer = try? FormFields(parsing: request.body) else { throw DevIssuerRefusal("the body is no form") }
            guard answer.value("decision") != "cancel" else {
                return send([("error", kind == .apple ? "user_cancelled_authorize" : "access_denied")], asked)
            }
            return send(granted(answer, asked), asked)
        } catch {
            return error.response
        }
    }

    private func asked(_ request: Request) throws(DevIssuerRefusal) -> DevIssuerRequest {
        guard let query = try? FormFields(parsing: request.head.queryBytes) else {
            throw DevIssuerRefusal("the query is no form")
        }
        return try DevIssuerRequest(query, of: kind)
    }

    private func granted(_ answer: FormFields, _ asked: DevIssuerRequest) -> [(name: String, value: String)] {
        func typed(_ name: StaticString) -> String? { answer.value(name)?.orNone }
        let (email, name) = (typed("email"), typed("name"))
        var claims = JSONObject()
        claims["aud"] = .string(asked.clientID)
        if kind == .google { claims["azp"] = .string(asked.clientID) }
        if let subject = typed("sub") ?? email.map({ kind.subject(of: $0) }) { claims["sub"] = .string(subject) }
        claims["email"] = email.map { .string($0) } ?? .null
        claims["email_verified"] = email == nil ? .null : .bool(answer.value("email_verified") != nil)
        if kind == .google {
            claims["name"] = name.map { .string($0) } ?? .null
            for part in ["given_name", "family_name", "picture"] { claims[part] = .null }
        }
        claims["nonce"] = asked.nonce.map { .string($0) }
        let code = Base64URL.encode(SecureRandom.bytes(32))
        codes.put(
            DevIssuerGrant(
                kind: kind, clientID: asked.clientID, redirectURI: asked.redirectURI, challenge: asked.challenge, claims: claims,
                expiresAt: now().adding(DevIssuerCodes.life)),
            under: code)
        guard kind == .apple, let name else { return [("code", code)] }
        return [("code", code), ("user", Self.user(name, email))]
    }

    /// What Apple tells of a user beside the code, at the first sign-in only.
    private static func user(_ name: String, _ email: String?) -> String {
        let parts = name.split(separator: " ", maxSplits: 1).map { JSONValue.string(String($0)) }
        var names = JSONObject()
        names["firstName"] = parts.first
        if parts.count > 1 { names["lastName"] = parts[1] }
        var user = JSONObject()
        user["name"] = .object(names)
        user["email"] = email.map { .string($0) }
        return String(decoding: JSONValue.object(user).serialized, as: UTF8.self)
    }

    /// Sends the browser back with an answer, by a redirect or by a form that sends itself (OAuth 2.0 Form Post Response Mode).
    private func send(_ fields: [(name: String, value: String)], _ asked: DevIssuerRequest) -> Response {
        let fields = fields + (asked.state.map { [(name: "state", value: $0)] } ?? [])
        guard asked.isPosted else {
            let separator = asked.redirectURI.contains("?") ? "&" : "?"
            return .empty(
                .seeOther,
                fields: [
                    "Location": asked.redirectURI + separator + PercentEncoding.encode(fields: fields),
                    "Cache-Control": "no-store",
                ])
        }
        let hidden = fields.map { field in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(HTMLText.escaped(field.value))\">"
        }
        return DevIssuerPage.html(
            "Going back",
            """
            <form method="post" action="\(HTMLText.escaped(asked.redirectURI))">\(hidden.joined())\
            <button id="submit">Go on</button></form><script>document.forms[0].requestSubmit()</script>
            """)
    }

    private func form(_ asked: DevIssuerRequest) -> Response {
        DevIssuerPage.html(
            "Sign in as anybody",
            """
            <p>The issuer for development plays <b>\(kind.rawValue)</b> for <code>\(HTMLText.escaped(asked.clientID))</code>.</p>\
            <form method="post">\
            <label>E-mail address <input id="email" name="email" value="mei@example.com" autocomplete="off" autofocus></label>\
            <label><input type="checkbox" name="email_verified" value="on" checked> It is verified</label>\
            <label>Subject <input id="sub" name="sub" autocomplete="off" placeholder="made of the address"></label>\
            <label>Name <input id="name" name="name" value="Mei Tanaka" autocomplete="off"></label>\
            <button id="submit">Sign in</button> <button id="cancel" name="decision" value="cancel">Cancel</button></form>
            """)
    }
}

/// What a client asks for, as far as Apple and Google look at it (OpenID Connect Core 1.0 §3.1.2.1).
struct DevIssuerRequest: Sendable {
    let clientID: String
    let redirectURI: String
    let state: String?
    let nonce: String?
    let challenge: String?
    /// Whether the answer goes back by a form.
    let isPosted: Bool

    init(_ fields: FormFields, of kind: DevIssuerClaims) throws(DevIssuerRefusal) {
        func value(_ name: StaticString) -> String? { fields.value(name)?.orNone }
        guard let clientID = value("client_id") else { throw DevIssuerRefusal("client_id is missing") }
        guard let redirectURI = value("redirect_uri"), Self.isTarget(redirectURI) else {
            throw DevIssuerRefusal("redirect_uri is not a URL of http or https without a fragment")
        }
        guard value("response_type") == "code" else { throw DevIssuerRefusal("response_type is not code") }
        let mode = value("response_mode") ?? "query"
        guard mode == "query" || mode == "form_post" else { throw DevIssuerRefusal("response_mode is not query or form_post") }
        // Apple's words.
        guard kind != .apple || mode == "form_post" || value("scope") == nil else {
            throw DevIssuerRefusal("response_mode must be form_post when name or email scope is requested")
        }
        challenge = value("code_challenge")
        guard challenge == nil || value("code_challenge_method") == "S256" else {
            throw DevIssuerRefusal("code_challenge_method is not S256")
        }
        (self.clientID, self.redirectURI, isPosted) = (clientID, redirectURI, mode == "form_post")
        (state, nonce) = (value("state"), value("nonce"))
    }

    private static func isTarget(_ url: String) -> Bool {
        (url.hasPrefix("http://") || url.hasPrefix("https://"))
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }
}

/// Why the issuer for development answers a browser with nothing but words.
struct DevIssuerRefusal: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    var response: Response { .text(.badRequest, reason + "\n") }
}

extension String {
    /// Nothing in place of an empty text.
    fileprivate var orNone: String? { isEmpty ? nil : self }
}
