import Crypto
import Identity
import Networking
import Text

extension UserReference {
    static let expectation = "the id of a user or a whole e-mail address"

    init(parsing rest: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) {
        self = try Self.parse(rest, flag: nil, topic).user
    }

    /// - Parameter flag: the option that there is, and whether it is given.
    fileprivate static func parse(
        _ rest: ArraySlice<String>, flag: String?, _ topic: HelpTopic
    ) throws(ArgumentsError) -> (user: UserReference, isFlagged: Bool) {
        let options = [flag].compactMap(\.self).map { ArgumentScanner.Option(name: $0, takesValue: false) }
        let scanner = try ArgumentScanner(rest, options: options, topic: topic)
        guard let reference = UserReference(try scanner.positional("USER")[0]) else {
            throw scanner.failure(.invalid("USER", expected: expectation))
        }
        return (reference, flag.map { scanner.isGiven($0) } ?? false)
    }
}

extension UserAction {
    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let (user, asJSON) = try UserReference.parse(rest, flag: "--json", .userShow)
        return .show(user, asJSON: asJSON)
    }

    static func parseDelete(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let (user, isConfirmed) = try UserReference.parse(rest, flag: "--yes", .userDelete)
        return .delete(user, isConfirmed: isConfirmed)
    }
}

extension UserAction {
    static func parseSetPassword(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let (user, isGenerated) = try UserReference.parse(rest, flag: "--generate", .userSetPassword)
        return .setPassword(user, isGenerated: isGenerated)
    }
}

extension LimitsAction {
    static func parseLift(_ rest: ArraySlice<String>) throws(ArgumentsError) -> LimitsAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--address", takesValue: true), .init(name: "--account", takesValue: true),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .limitsLift)
        _ = try scanner.positional()
        let address = try scanner.value(of: "--address", expected: "an IP address") { IPAddress($0).map { "\($0)" } }
        let account = try scanner.value(of: "--account", expected: "a whole e-mail address") { try? EmailAddress($0) }
        guard address != nil || account != nil else { throw scanner.failure(.missing("--address or --account")) }
        return .lift(address: address, account: account)
    }
}

extension AuditRetention {
    static func parse(_ rest: ArraySlice<String>) throws(ArgumentsError) -> AuditRetention {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--apply", takesValue: false), .init(name: "--json", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .auditRetention)
        _ = try scanner.positional()
        guard scanner.isGiven("--apply") else { return .list(asJSON: scanner.isGiven("--json")) }
        guard !scanner.isGiven("--json") else { throw scanner.failure(.contradiction("--apply", "--json")) }
        return .apply
    }
}

extension SessionsAction {
    static func parseEnd(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let expected = "the id of a session, as kidoban user show and audit events have it"
        // Ids are base64url, and may begin with a hyphen.
        if rest.count == 1, let id = rest.first.flatMap({ SessionID($0) }) { return .end(id) }
        let scanner = try ArgumentScanner(rest, options: [], topic: .sessionsEnd)
        guard let id = SessionID(try scanner.positional("SESSION")[0]) else {
            throw scanner.failure(.invalid("SESSION", expected: expected))
        }
        return .end(id)
    }

    static func parsePrune(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--dry-run", takesValue: false), .init(name: "--yes", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .sessionsPrune)
        _ = try scanner.positional()
        switch (scanner.isGiven("--dry-run"), scanner.isGiven("--yes")) {
        case (true, true): throw scanner.failure(.contradiction("--dry-run", "--yes"))
        case (true, false): return .prune(.countsOnly)
        case (false, true): return .prune(.given)
        case (false, false): return .prune(.asks)
        }
    }
}

extension UserCreation {
    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--name", takesValue: true), .init(name: "--verified", takesValue: false),
        .init(name: "--no-password", takesValue: false),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .userCreate)
        let email = try scanner.positional("EMAIL")[0]
        guard (try? EmailAddress(email)) != nil else {
            throw scanner.failure(.invalid("EMAIL", expected: "an e-mail address"))
        }
        self.init(email: email)
        displayName = try scanner.value(
            of: "--name", expected: "1 to \(DisplayName.maximumLength) characters without line breaks and controls"
        ) { text in (try? DisplayName(text))?.text }
        isVerified = scanner.isGiven("--verified")
        hasPassword = !scanner.isGiven("--no-password")
    }
}

extension UserSearch {
    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--limit", takesValue: true), .init(name: "--json", takesValue: false),
        ]
        let scanner = try ArgumentScanner(arguments, options: options, topic: .userFind)
        let text = try scanner.positional("PREFIX")[0]
        if let id = UserID(text) {
            self.init(.id(id))
        } else if let prefix = EmailPrefix(text) {
            self.init(.prefix(prefix))
        } else {
            throw scanner.failure(
                .invalid(
                    "PREFIX", expected: "how an e-mail address begins, in ASCII (xn--…), a whole address, or the id of a user"))
        }
        limit = try scanner.number("--limit", Self.limits) ?? limit
        asJSON = scanner.isGiven("--json")
    }
}

extension AuditQuestion {
    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--user", takesValue: true), .init(name: "--kind", takesValue: true),
        .init(name: "--since", takesValue: true), .init(name: "--until", takesValue: true),
        .init(name: "--limit", takesValue: true), .init(name: "--json", takesValue: false),
        .init(name: "--follow", takesValue: false), .init(name: "--request", takesValue: true),
        .init(name: "--operator", takesValue: true), .init(name: "--all", takesValue: false),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .audit)
        _ = try scanner.positional()
        self.init()
        user = try scanner.value(of: "--user", expected: UserReference.expectation) { UserReference($0) }
        kind = try Self.kind(scanner)
        request = try scanner.value(of: "--request", expected: "the id of a request, as its answer and the log have it") { text in
            (1...200).contains(text.utf8.count) && text == text.printable ? text : nil
        }
        operatorName = try scanner.value(of: "--operator", expected: OperatorName.expectation, OperatorName.checked)
        since = try Self.moment("--since", scanner)
        until = try Self.moment("--until", scanner)
        limit = try scanner.number("--limit", Self.limits) ?? limit
        if scanner.isGiven("--all") {
            guard scanner.values(of: "--limit").isEmpty else { throw scanner.failure(.contradiction("--all", "--limit")) }
            limit = nil
        }
        asJSON = scanner.isGiven("--json")
        follows = scanner.isGiven("--follow")
        if follows, until != nil { throw scanner.failure(.contradiction("--follow", "--until")) }
    }

    /// A kind that there is not would have no events, and look as if nothing had happened.
    private static func kind(_ scanner: ArgumentScanner) throws(ArgumentsError) -> String? {
        guard let text = scanner.values(of: "--kind").first else { return nil }
        guard AuditKind.names.contains(text) else {
            let nearest = NearestName.ofSimilar(text, among: AuditKind.names)
            throw scanner.failure(.unknownKind(text, nearest: nearest, known: AuditKind.names))
        }
        return text
    }

    private static func moment(_ option: String, _ scanner: ArgumentScanner) throws(ArgumentsError) -> Moment? {
        try scanner.value(of: option, expected: "how long ago, such as 24h, or an instant such as 2026-03-01T00:00:00Z") { text in
            if let instant = Timestamp(iso8601: text) { return .at(instant) }
            return (try? DurationText.parse(text)).map { .ago($0) }
        }
    }
}

extension KeysAction {
    /// Of 256 bits in base64url.
    private static let thumbprintLength = 43

    static func parseList(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .keysList)
        _ = try scanner.positional()
        return .list(asJSON: scanner.isGiven("--json"))
    }

    static func parseRotate(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .keysRotate)
        guard !scanner.positional.isEmpty else { return .rotate(nil) }
        let text = try scanner.positional("ALGORITHM")[0]
        guard let algorithm = [SignatureAlgorithm.es256, .rs256].first(where: { $0.rawValue == text }) else {
            throw scanner.failure(.invalid("ALGORITHM", expected: "ES256 or RS256"))
        }
        return .rotate(algorithm)
    }

    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        // A thumbprint in base64url may begin with a hyphen.
        let kid = rest.first { $0.utf8.count == thumbprintLength && !$0.hasPrefix("--") }
        let others = rest.filter { $0 != kid }
        let scanner = try ArgumentScanner(others[...], options: [.init(name: "--pem", takesValue: false)], topic: .keysShow)
        guard kid == nil, !scanner.positional.isEmpty else {
            _ = try scanner.positional()
            return .show(kid: kid, asPEM: scanner.isGiven("--pem"))
        }
        return .show(kid: try scanner.positional("KID")[0], asPEM: scanner.isGiven("--pem"))
    }

    static func parseRetire(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        // A thumbprint (RFC 7638) in base64url may begin with a hyphen.
        if rest.count == 1, let kid = rest.first, kid.utf8.count == thumbprintLength { return .retire(kid: kid) }
        return .retire(kid: try ArgumentScanner(rest, options: [], topic: .keysRetire).positional("KID")[0])
    }
}

extension ArgumentScanner {
    fileprivate func number(_ option: String, _ range: ClosedRange<Int>) throws(ArgumentsError) -> Int? {
        try value(of: option, expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), range.contains(number) else { return nil }
            return number
        }
    }
}

extension MailAction {
    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .mailShow)
        _ = try scanner.positional()
        return .show(asJSON: scanner.isGiven("--json"))
    }

    static func parseTest(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .mailTest)
        let text = try scanner.positional("ADDRESS")[0]
        guard let address = try? EmailAddress(text) else {
            throw scanner.failure(.invalid("ADDRESS", expected: "an e-mail address"))
        }
        return .test(address)
    }

    static func parseTemplates(_ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .mailTemplates)
        guard !scanner.positional.isEmpty else { return .templates(nil) }
        let text = try scanner.positional("FILE")[0]
        guard let name = MailTemplates.Name.all.first(where: { $0.fileName == text }) else {
            throw scanner.failure(.invalid("FILE", expected: "a name such as \(MailTemplates.Name.all[0].fileName)"))
        }
        return .templates(name)
    }
}
