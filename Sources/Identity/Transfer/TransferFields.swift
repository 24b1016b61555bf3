package import Crypto
package import Text

/// Reads what all formats have in common. What opens nothing and cannot be read is left out, and said so; the rest refuses the user.
struct TransferFields {
    private(set) var omitted: [TransferProblem] = []

    mutating func displayName(_ text: String?) -> DisplayName? {
        guard let text, !text.isEmpty else { return nil }
        do throws(InputProblem) {
            return try DisplayName(text)
        } catch {
            omitted.append(TransferProblem(.displayName, "\(error.reason)"))
            return nil
        }
    }

    mutating func photoURL(_ text: String?) -> PhotoURL? {
        guard let text, !text.isEmpty else { return nil }
        if let url = try? PhotoURL(text) { return url }
        omitted.append(TransferProblem(.photoURL, "not an https URL"))
        return nil
    }

    /// E.164, as all three write it; Supabase without the plus.
    mutating func phoneNumber(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
        if (4...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return "+" + digits }
        omitted.append(TransferProblem(.phoneNumber, "not a number in international form"))
        return nil
    }

    /// Milliseconds since 1970, as a number or as text.
    mutating func milliseconds(_ value: JSONValue?) -> Timestamp? {
        let number: Int64?
        switch value {
        case nil, .null?, .string("")?: return nil
        case .string(let text)?: number = Int64(text)
        case let value?: number = value.integerValue
        }
        return checked(number.map { Timestamp(milliseconds: $0) })
    }

    /// An instant as text: ISO 8601, or as PostgreSQL prints it.
    mutating func instant(_ text: String?) -> Timestamp? {
        guard let text, !text.isEmpty else { return nil }
        return checked(Timestamp(lenient: text))
    }

    /// From 1970 to 9999: what everybody can show.
    private mutating func checked(_ instant: Timestamp?) -> Timestamp? {
        if let instant, (0...253_402_300_799_999).contains(instant.milliseconds) { return instant }
        omitted.append(TransferProblem(.time, "not an instant"))
        return nil
    }

    static func email(_ text: String?) throws(TransferProblem) -> EmailAddress? {
        guard let text, !text.isEmpty else { return nil }
        guard let email = try? EmailAddress(text) else { throw TransferProblem(.email, "not an address that can be one here") }
        return email
    }

    static func alias(_ source: String, _ id: String?) throws(TransferProblem) -> UserAlias {
        guard let id, let alias = UserAlias(source: source, id: id) else {
            throw TransferProblem(.id, "1 to \(UserAlias.maximumLength) bytes without NUL")
        }
        return alias
    }

    static func claims(_ object: JSONObject, limit: Int) throws(TransferProblem) -> JSONObject {
        do throws(CustomClaims.Refusal) {
            return try CustomClaims(object, limit: limit).object
        } catch {
            throw TransferProblem(.claims, error.text)
        }
    }

    static func identity(_ provider: String, _ subject: String) throws(TransferProblem) -> TransferUser.Identity {
        guard let id = ProviderID(provider), let identity = TransferUser.Identity(provider: id, subject: subject) else {
            throw TransferProblem(.identity, "the provider or its user has a name that cannot be one here")
        }
        return identity
    }
}

/// What every reader of a format goes by.
package struct TransferRules: Sendable {
    package var hashes: ForeignHash.Limits
    package var claimsLimit: Int
    package var rolesLimit: Int
    /// What providers are called here; others keep their names, less `.com`.
    package var providers: [String: String]
    /// By which name the ids of the other system are kept.
    package var source: String
    package var now: Timestamp

    package init(
        source: String, now: Timestamp, hashes: ForeignHash.Limits = ForeignHash.Limits(),
        claimsLimit: Int = CustomClaims.standardLimit,
        rolesLimit: Int = Roles.standardLimit, providers: [String: String] = [:]
    ) {
        self.source = source
        self.now = now
        self.hashes = hashes
        self.claimsLimit = claimsLimit
        self.rolesLimit = rolesLimit
        self.providers = providers
    }

    /// `google.com` is `google`, `oidc.acme` is `acme`.
    func provider(_ name: String) -> String {
        if let given = providers[name] { return given }
        var name = name.lowercased()[...]
        for prefix in ["oidc.", "saml."] where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
        if name.hasSuffix(".com") { name = name.dropLast(4) }
        return String(name).replacing(".", with: "-").replacing("_", with: "-")
    }
}

extension CustomClaims.Refusal {
    /// For an operator.
    package var text: String {
        switch self {
        case .notAnObject: "the claims are no JSON object that can be stored"
        case .tooLarge(let maximum): "the claims take more than \(maximum) bytes as JSON"
        case .reserved(let name): "the claim \"\(name.prefix(100))\" is reserved"
        }
    }
}

extension Timestamp {
    /// ISO 8601, also with a blank for the `T`, up to six digits of a fraction and an offset in hours and minutes.
    init?(lenient text: String) {
        guard text.utf8.count <= 40 else { return nil }
        var body = text.replacing(" ", with: "T")[...]
        var offset: Int64 = 0
        if body.hasSuffix("Z") || body.hasSuffix("z") {
            body = body.dropLast()
        } else if let sign = body.lastIndex(where: { $0 == "+" || $0 == "-" }),
            body.distance(from: body.startIndex, to: sign) > 10
        {
            let digits = body[body.index(after: sign)...].filter { $0 != ":" }
            guard digits.utf8.count == 2 || digits.utf8.count == 4, let number = Int64(digits) else { return nil }
            let minutes = digits.utf8.count == 2 ? number * 60 : number / 100 * 60 + number % 100
            offset = (body[sign] == "+" ? minutes : -minutes) * 60_000
            body = body[..<sign]
        }
        guard let instant = Timestamp(iso8601: body + "Z") else { return nil }
        self.init(milliseconds: instant.milliseconds - offset)
    }
}
