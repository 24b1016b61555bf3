import Crypto
import Endpoints
import Server
import TestSupport
import Testing
import Text

@testable import Identity

/// Asks the rest-auth API as its clients do.
struct DjangoClient: Sendable {
    static let password = "correct horse battery"

    /// How Django's own test client and others put fields into a body.
    enum Encoding: CaseIterable, Sendable {
        case json, form, multipart
    }

    let server: TestHTTPClient
    var mount = "/rest-auth"

    /// Has mails lead to where allauth has its pages, with the uid that the API wants.
    static func useAllauthLinks(_ configuration: inout Configuration) {
        let site = "http://localhost:8080"
        configuration.restAuth.explicitResetLink = "\(site)/accounts/password/reset/key/{uid}-{token}/"
        configuration.restAuth.explicitVerificationLink = "\(site)/rest-auth/registration/account-confirm-email/{key}/"
    }

    func get(_ path: String, _ fields: [(name: String, value: String)] = []) async throws -> TestHTTPResponse {
        try await server.send("GET", mount + path, fields)
    }

    func send(
        _ path: String, _ values: [(String, String)], as encoding: Encoding = .form,
        _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        try await send("POST", path, values, as: encoding, fields)
    }

    func send(
        _ method: String, _ path: String, _ values: [(String, String)], as encoding: Encoding = .form,
        _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        let (type, body) = Self.body(values, as: encoding)
        return try await server.send(method, mount + path, fields + [("Content-Type", type)], body: body)
    }

    func json(
        _ path: String, _ body: String, _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        try await json("POST", path, body, fields)
    }

    func json(
        _ method: String, _ path: String, _ body: String, _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        try await server.send(method, mount + path, fields + [("Content-Type", "application/json")], body: body)
    }

    /// A new user, and the answer to the registration.
    func register(
        _ email: String = Account.newEmail(), password: String = Self.password, _ more: [(String, String)] = []
    ) async throws -> (email: String, response: TestHTTPResponse) {
        let values = [("email", email), ("password1", password), ("password2", password)] + more
        return (email, try await send("/registration/", values))
    }

    func logIn(
        _ email: String, _ password: String = Self.password, _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        try await send("/login/", [("email", email), ("password", password)], fields)
    }

    /// A new user, and the key of a sign-in.
    func signedIn() async throws -> (email: String, key: String) {
        let (email, response) = try await register()
        return (email, try #require(response.json["key"]?.stringValue, "\(response.text)"))
    }

    func user(_ key: String) async throws -> TestHTTPResponse {
        try await get("/user/", [("Authorization", "Token \(key)")])
    }

    private static func body(_ values: [(String, String)], as encoding: Encoding) -> (type: String, body: String) {
        switch encoding {
        case .json:
            let object = JSONObject(values.map { .init(key: $0.0, value: .string($0.1)) })
            return ("application/json", String(decoding: JSONValue.object(object).serialized, as: UTF8.self))
        case .form:
            let request = TestHTTPRequest.form("/", values)
            return ("application/x-www-form-urlencoded", String(decoding: request.body ?? [], as: UTF8.self))
        case .multipart:
            let parts = values.map { name, value in
                "--BoUnDaRyStRiNg\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
            }
            return ("multipart/form-data; boundary=BoUnDaRyStRiNg", parts.joined() + "--BoUnDaRyStRiNg--\r\n")
        }
    }
}

extension DjangoClient.Encoding: CustomTestStringConvertible {
    var testDescription: String {
        switch self {
        case .json: "JSON"
        case .form: "a form"
        case .multipart: "multipart"
        }
    }
}

extension TestHTTPResponse {
    /// What a `Set-Cookie` of this answer says under a name, from the value on.
    func cookie(_ name: String) -> String? {
        let fields = fields.filter { $0.name == "Set-Cookie" && $0.value.hasPrefix("\(name)=") }
        return fields.count == 1 ? String(fields[0].value.dropFirst(name.count + 1)) : nil
    }

    /// The value of a cookie that this answer sets.
    func cookieValue(_ name: String) -> String? {
        cookie(name).map { String($0.prefix { $0 != ";" }) }
    }

    /// What a client with a cookie jar sends after this answer.
    var jar: [(name: String, value: String)] {
        let pairs = fields.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
        return pairs.isEmpty ? [] : [("Cookie", pairs.joined(separator: "; "))]
    }

    var key: String? { json["key"]?.stringValue }

    /// The sentences under a name.
    func texts(_ name: String) -> [String]? {
        json[name]?.arrayValue?.map { $0.stringValue ?? "" }
    }
}

extension Installation {
    /// A mail in the outbox, opened.
    struct OpenedMail {
        let kind: String
        let recipient: String
        let language: String
        let link: String

        /// The code in a link to our own pages.
        var code: String {
            link.firstRange(of: "?code=").map { String(link[$0.upperBound...]) } ?? ""
        }

        /// The path of the link from one segment on.
        func segments(after segment: String) -> [String] {
            let segments = link.split(separator: "/").map(String.init)
            return segments.firstIndex(of: segment).map { Array(segments[($0 + 1)...]) } ?? []
        }
    }

    /// What waits for an address, in the order in which it was asked for: of several at one moment of the clock the ids do not tell it.
    func mails(to address: String) throws -> [OpenedMail] {
        guard let key = MasterKey(SecretString(masterKey)) else { return [] }
        let seal = try MailSeal(key)
        let rows = try TestDatabase.rows(
            "SELECT id, topic, payload ->> 'recipient', payload ->> 'language', encode(sealed, 'hex') FROM jobs "
                + "WHERE kind = 'mail' AND payload ->> 'recipient' = '\(address.lowercased())' ORDER BY created_at, xmin::text::bigint",
            on: databaseURL)
        return try rows.map { row in
            let id = try #require(UUID(row[0]))
            let link = try seal.open(try #require(Hex.decode(row[4])), of: id).link
            return OpenedMail(kind: row[1], recipient: row[2], language: row[3], link: link.revealedText)
        }
    }

    func change(_ email: String, _ assignment: String) throws {
        try TestDatabase.run("UPDATE users SET \(assignment) WHERE email = '\(email)'", on: databaseURL)
    }
}
