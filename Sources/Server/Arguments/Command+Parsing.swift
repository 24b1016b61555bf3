import Crypto
import Identity

extension Command {
    /// - Parameter arguments: without the name of the program.
    package init(parsing arguments: some Sequence<String>) throws(ArgumentsError) {
        let (topic, rest) = Self.topic(of: Array(arguments)[...])
        let options = rest.prefix { $0 != "--" }
        if options.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help(topic)
            return
        }
        switch topic {
        case .program where rest.first == "--version": self = try Self.bare(.version, rest.dropFirst(), .version)
        case .program, .client, .user, .sessions, .keys, .mail, .explain: throw Self.unknown(rest, in: topic)
        case .serve: self = try Self.bare(.serve, rest, topic)
        case .migrate: self = try Self.bare(.migrate, rest, topic)
        case .health: self = try Self.bare(.health, rest, topic)
        case .doctor: self = try .doctor(Self.doctorOutput(rest))
        case .openAPI: self = try Self.bare(.openAPI, rest, topic)
        case .version: self = try Self.bare(.version, rest, topic)
        case .config: self = try .config(Self.configOutput(rest))
        case .devIssuer: self = try .devIssuer(DevIssuerOptions(parsing: rest))
        case .explainIDToken: self = try .explainIDToken(IDTokenQuestion(parsing: rest))
        case .help: self = try .help(Self.helpTopic(rest))
        case .clientAdd: self = try .client(.add(NewClient(parsing: rest)))
        case .clientList: self = try Self.bare(.client(.list), rest, topic)
        case .clientRemove: self = try .client(.remove(Self.clientID(rest, topic)))
        case .clientRotateSecret: self = try .client(.parseRotateSecret(rest))
        case .sessionsPrune: self = try .sessions(.parsePrune(rest))
        case .audit: self = try .audit(AuditQuestion(parsing: rest))
        case .userCreate: self = try .user(.create(UserCreation(parsing: rest)))
        case .userFind: self = try .user(.find(UserSearch(parsing: rest)))
        case .userShow: self = try .user(.parseShow(rest))
        case .userDisable: self = try .user(.disable(UserReference(parsing: rest, topic)))
        case .userEnable: self = try .user(.enable(UserReference(parsing: rest, topic)))
        case .userSignOut: self = try .user(.signOut(UserReference(parsing: rest, topic)))
        case .userDelete: self = try .user(.parseDelete(rest))
        case .userExport: self = try .user(.export(UserReference(parsing: rest, topic)))
        case .keysList: self = try .keys(.parseList(rest))
        case .keysRotate: self = try .keys(.parseRotate(rest))
        case .mailShow: self = try .mail(.parseShow(rest))
        case .mailTest: self = try .mail(.parseTest(rest))
        case .mailTemplates: self = try .mail(.parseTemplates(rest))
        case .keysRetire: self = try .keys(.parseRetire(rest))
        }
    }

    /// Follows the words as far as they name a topic.
    private static func topic(of arguments: ArraySlice<String>) -> (HelpTopic, ArraySlice<String>) {
        var topic = HelpTopic.program
        var rest = arguments
        while let word = rest.first, let child = topic.children.first(where: { $0.words.last.map(String.init) == word }) {
            topic = child
            rest.removeFirst()
        }
        return (topic, rest)
    }

    private static func unknown(_ rest: ArraySlice<String>, in topic: HelpTopic) -> ArgumentsError {
        guard let word = rest.first else { return ArgumentsError(problem: .noCommand, topic: topic) }
        if word.hasPrefix("-") {
            let option = word.splitAtEqualsSign.name
            let known = topic == .program ? ["--help", "--version"] : ["--help"]
            return ArgumentsError(
                problem: .unknownOption(option, nearest: NearestName.ofSimilar(option, among: known)), topic: topic)
        }
        let candidates = topic.children.compactMap { $0.words.last.map(String.init) }
        let nearest = NearestName.ofSimilar(word, among: candidates)
        return ArgumentsError(problem: .unknownCommand(word, nearest: nearest), topic: topic)
    }

    private static func bare(
        _ command: Command, _ rest: ArraySlice<String>, _ topic: HelpTopic
    ) throws(ArgumentsError) -> Command {
        _ = try ArgumentScanner(rest, options: [], topic: topic).positional()
        return command
    }

    private static func configOutput(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ConfigOutput {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--markdown", takesValue: false)], topic: .config)
        _ = try scanner.positional()
        return scanner.isGiven("--markdown") ? .markdown : .inForce
    }

    private static func doctorOutput(_ rest: ArraySlice<String>) throws(ArgumentsError) -> DoctorOutput {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .doctor)
        _ = try scanner.positional()
        return scanner.isGiven("--json") ? .json : .text
    }

    private static func helpTopic(_ rest: ArraySlice<String>) throws(ArgumentsError) -> HelpTopic {
        let words = try ArgumentScanner(rest, options: [], topic: .help).positional
        let (topic, unread) = topic(of: words[...])
        guard unread.isEmpty else { throw unknown(unread, in: topic) }
        return topic
    }

    private static func clientID(_ rest: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) -> ClientID {
        let scanner = try ArgumentScanner(rest, options: [], topic: topic)
        guard let id = ClientID(try scanner.positional("ID")[0]) else {
            throw scanner.failure(.invalid("ID", expected: NewClient.idExpectation))
        }
        return id
    }
}

extension ClientAction {
    fileprivate static func parseRotateSecret(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
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
    ]

    fileprivate init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
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
