import Crypto
import Identity
import Outbound

extension SettingFormat {
    /// A list with commas between its elements, and white space around them if need be.
    static func list<Element: Equatable & Sendable>(
        _ expectation: String, acceptsEmpty: Bool = false,
        of element: @escaping @Sendable (String) throws(SettingRefusal) -> Element,
        render: @escaping @Sendable (Element) -> String
    ) -> SettingFormat<[Element]> {
        SettingFormat<[Element]>(
            expectation, acceptsEmpty: acceptsEmpty,
            parse: { text throws(SettingRefusal) in
                if text.isEmpty { return [] }
                guard !text.hasPrefix(" "), !text.hasSuffix(" ") else {
                    throw SettingRefusal("has a blank at its beginning or end")
                }
                var elements: [Element] = []
                for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                    let words = part.split(separator: " ")
                    guard words.count == 1, let word = words.first else {
                        throw SettingRefusal("has an element that is empty or broken")
                    }
                    let value = try element(String(word))
                    guard !elements.contains(value) else { throw SettingRefusal("has an element twice") }
                    elements.append(value)
                }
                guard elements.count <= 100 else { throw SettingRefusal("has more than 100 elements") }
                return elements
            },
            render: { value, _ in value.map(render).joined(separator: ",") })
    }
}

extension SettingFormat where Value == [String] {
    /// Our names at a provider.
    static var clientIDs: SettingFormat {
        list(
            "client ids with commas between them, each 1 to 255 visible ASCII characters without quotes and backslashes",
            of: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("has a client id that is too long or not allowed") }
                return text
            }, render: { $0 })
    }

    /// What `iss` may be: mostly URLs, but Google writes one without a scheme.
    static var issuers: SettingFormat {
        list(
            "issuers with commas between them",
            of: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("has an issuer that is too long or not allowed") }
                return text
            }, render: { $0 })
    }
}

extension SettingFormat where Value == [ProviderID] {
    static var providerNames: SettingFormat {
        list(
            "names with commas between them, each 1 to 32 lowercase letters, digits and inner hyphens",
            of: { text throws(SettingRefusal) in
                guard let id = ProviderID(text), text.first != "-", text.last != "-" else {
                    throw SettingRefusal("has a name that is not allowed")
                }
                guard id != .apple, id != .google else { throw SettingRefusal("names a provider that has settings of its own") }
                return id
            }, render: { $0.text })
    }
}

extension SettingFormat where Value == [SignatureAlgorithm] {
    static var signatureAlgorithms: SettingFormat {
        list(
            "one or more of RS256, ES256 and PS256 with commas between them",
            of: { text throws(SettingRefusal) in
                guard let algorithm = SignatureAlgorithm(rawValue: text) else {
                    throw SettingRefusal("has an algorithm that is not allowed")
                }
                return algorithm
            }, render: { $0.rawValue })
    }
}

extension SettingFormat where Value == String {
    /// Where public keys are fetched.
    static var keySetURL: SettingFormat {
        SettingFormat(
            "an https URL, or an http URL of this machine",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                    HTTPSClient.mayAsk(text)
                else { throw SettingRefusal("is neither an https URL nor an http URL of this machine") }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == NonceRule {
    /// - Parameter form: what a token may say of the nonce unless the hash is demanded.
    static func nonceRule(form: NonceRule.Form) -> SettingFormat {
        let rules: [(name: String, rule: NonceRule)] = [
            ("optional", NonceRule(.bothOrNeither, form: form)), ("required", NonceRule(.required, form: form)),
            ("optional-hashed", NonceRule(.bothOrNeither, form: .hashed)),
            ("required-hashed", NonceRule(.required, form: .hashed)),
        ]
        return SettingFormat(
            "optional, required, optional-hashed or required-hashed",
            parse: { text throws(SettingRefusal) in
                guard let rule = rules.first(where: { $0.name == text })?.rule else {
                    throw SettingRefusal("is none of the possible values")
                }
                return rule
            },
            render: { value, _ in rules.first { $0.rule == value }?.name ?? "" })
    }
}

extension SettingFormat where Value == EmailTrust {
    static var emailTrust: SettingFormat {
        SettingFormat(
            "never, verified (whenever it says so), or domains with commas between them",
            parse: { text throws(SettingRefusal) in
                switch text {
                case "never": return .never
                case "verified": return .whenVerified
                default: return .domains(try Self.domains.parse(text))
                }
            },
            render: { value, _ in
                switch value {
                case .never: "never"
                case .whenVerified: "verified"
                case .hostedByGoogle: "google"
                case .domains(let domains): domains.joined(separator: ",")
                }
            })
    }

    private static var domains: SettingFormat<[String]> {
        list(
            "",
            of: { text throws(SettingRefusal) in
                guard let domain = EmailTrust.domain(text) else { throw SettingRefusal("has a domain that is none") }
                return domain
            }, render: { $0 })
    }
}
