import Crypto
import Identity

extension ClientAction {
    static func parseRotateSecret(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let scanner = try ArgumentScanner(
            rest, options: [.init(name: "--overlap", takesValue: true)], topic: .clientRotateSecret)
        guard let id = ClientID(try scanner.positional("ID")[0]) else {
            throw scanner.failure(.invalid("ID", expected: NewClient.idExpectation))
        }
        let overlap = try scanner.value(
            of: "--overlap", expected: "0, or a duration such as 24h, of \(DurationText.render(longestOverlap)) at most"
        ) { text in
            text == "0" ? .zero : (try? DurationText.parse(text)).flatMap { $0 <= longestOverlap ? $0 : nil }
        }
        return .rotateSecret(id, overlap: overlap ?? standardOverlap)
    }
}

extension NewClient {
    static let idExpectation = "1 to 64 ASCII letters, digits, dots, underscores or hyphens, and not a UUID"

    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--introspect", takesValue: false),
        .init(name: "--audience", takesValue: true, canRepeat: true),
        .init(name: "--id", takesValue: true),
        .init(name: "--token-format", takesValue: true),
        .init(name: "--algorithm", takesValue: true),
        .init(name: "--scope", takesValue: true, canRepeat: true),
        .init(name: "--rotate", takesValue: false),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .clientAdd)
        let name = try scanner.positional("NAME")[0]
        guard (1...Self.maximumNameLength).contains(name.unicodeScalars.count), name == name.printable else {
            let expected = "1 to \(Self.maximumNameLength) characters, none of them a quote, a backslash or invisible"
            throw scanner.failure(.invalid("NAME", expected: expected))
        }
        self.init(name: name)
        id = try scanner.value(of: "--id", expected: Self.idExpectation) { ClientID($0) }
        if scanner.isGiven("--introspect") { permissions.insert(.introspect) }
        for audience in scanner.values(of: "--audience") where !audiences.contains(audience) {
            guard audience.isAudience else {
                throw scanner.failure(.invalid("--audience", expected: "1 to 255 visible ASCII characters"))
            }
            audiences.append(audience)
        }
        tokenFormat = try Self.tokenFormat(scanner)
        rotatesRefreshTokens = scanner.isGiven("--rotate")
        for scope in scanner.values(of: "--scope") where !(scopes ?? []).contains(scope) {
            guard scope.isScope else {
                throw scanner.failure(.invalid("--scope", expected: "1 to 64 visible ASCII characters, no quote or backslash"))
            }
            scopes = (scopes ?? []) + [scope]
        }
    }

    private static func tokenFormat(_ scanner: ArgumentScanner) throws(ArgumentsError) -> TokenFormat {
        let algorithm = try scanner.value(of: "--algorithm", expected: "ES256 or RS256") { text in
            [SignatureAlgorithm.es256, .rs256].first { $0.rawValue == text }
        }
        let isOpaque = try scanner.value(of: "--token-format", expected: "jwt or opaque") { text in
            ["jwt": false, "opaque": true][text]
        }
        guard isOpaque ?? false else { return .jwt(algorithm) }
        guard algorithm == nil else { throw scanner.failure(.contradiction("--algorithm", "--token-format opaque")) }
        return .opaque
    }
}
