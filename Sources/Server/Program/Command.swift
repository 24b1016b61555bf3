import Endpoints
import Identity

/// What the program is asked to do.
package enum Command: Equatable, Sendable {
    case serve
    case migrate
    case health
    case doctor(DoctorOutput)
    case client(ClientAction)
    case user(UserAction)
    case importUsers(ImportRequest)
    case exportUsers(ExportRequest)
    case firebase(FirebaseAction)
    case sessions(SessionsAction)
    case limits(LimitsAction)
    case audit(AuditQuestion)
    case auditRetention(AuditRetention)
    case keys(KeysAction)
    case mail(MailAction)
    case config(ConfigOutput)
    case openAPI
    case explainIDToken(IDTokenQuestion)
    case devIssuer(DevIssuerOptions)
    case help(HelpTopic)
    case version

    /// Whether it cannot do without the master key of the installation.
    var needsMasterKey: Bool {
        switch self {
        case .serve, .keys(.rotate), .keys(.retire), .keys(.reseal), .mail(.show), .limits, .client(.registrationToken),
            .user(.setPassword),
            .user(.sendReset), .user(.changeEmail):
            true
        case .migrate, .health, .doctor, .client, .user, .importUsers, .exportUsers, .firebase, .sessions, .audit,
            .auditRetention,
            .keys(.list), .keys(.show),
            .mail(.test),
            .mail(.templates),
            .mail(.retry),
            .config, .openAPI, .explainIDToken, .devIssuer, .help, .version:
            false
        }
    }

    /// What `kidoban config` prints.
    package enum ConfigOutput: Equatable, Sendable {
        /// What is in force.
        case inForce
        /// The tables of the documentation.
        case markdown
        /// The built-in texts of the sign-in pages in a language.
        case texts(String)
    }
}

extension Command {
    /// - Parameter arguments: without the name of the program.
    package init(parsing arguments: some Sequence<String>) throws(ArgumentsError) {
        let (topic, rest) = Self.topic(of: Array(arguments)[...])
        let options = rest.prefix { $0 != "--" }
        let asksForHelp = options.contains { $0 == "--help" || $0 == "-h" }
        self = asksForHelp ? .help(topic) : try Self.command(topic, rest)
    }

    private static func command(_ topic: HelpTopic, _ rest: ArraySlice<String>) throws(ArgumentsError) -> Command {
        switch topic {
        case .program where rest.first == "--version": try bare(.version, rest.dropFirst(), .version)
        case .program, .client, .user, .importUsers, .firebase, .firebaseAccount, .sessions, .limits, .keys, .mail, .explain:
            throw unknown(rest, in: topic)
        case .serve: try bare(.serve, rest, topic)
        case .migrate: try bare(.migrate, rest, topic)
        case .health: try bare(.health, rest, topic)
        case .doctor: try .doctor(doctorOutput(rest))
        case .openAPI: try bare(.openAPI, rest, topic)
        case .version: try bare(.version, rest, topic)
        case .config: try .config(configOutput(rest))
        case .devIssuer: try .devIssuer(DevIssuerOptions(parsing: rest))
        case .explainIDToken: try .explainIDToken(IDTokenQuestion(parsing: rest))
        case .help: try .help(helpTopic(rest))
        case .clientAdd, .clientList, .clientUpdate, .clientShow, .clientRotate, .clientDisable, .clientEnable, .clientDelete,
            .clientTry, .clientRegistrationToken, .explainAuthorize:
            try .client(clientAction(topic, rest))
        case .userCreate, .userFind, .userShow, .userDisable, .userEnable, .userSignOut, .userDelete, .userExport,
            .userSetPassword, .userSendReset, .userVerifyEmail, .userChangeEmail, .userClaims, .userRoles:
            try .user(userAction(topic, rest))
        case .keysList, .keysRotate, .keysShow, .keysReseal, .keysRetire: try .keys(keysAction(topic, rest))
        case .mailShow, .mailTest, .mailTemplates, .mailRetry: try .mail(mailAction(topic, rest))
        case .sessionsPrune: try .sessions(.parsePrune(rest))
        case .sessionsEnd: try .sessions(.parseEnd(rest))
        case .limitsLift: try .limits(.parseLift(rest))
        case .audit: try .audit(AuditQuestion(parsing: rest))
        case .auditRetention: try .auditRetention(.parse(rest))
        case .importFirebase: try .importUsers(ImportRequest(.firebase, parsing: rest, topic))
        case .importDjango: try .importUsers(ImportRequest(.django, parsing: rest, topic))
        case .importSupabase: try .importUsers(ImportRequest(.supabase, parsing: rest, topic))
        case .importLines: try .importUsers(ImportRequest(.jsonl, parsing: rest, topic))
        case .exportUsers: try .exportUsers(ExportRequest(parsing: rest))
        case .firebaseAccountAdd: try .firebase(.parseAdd(rest))
        case .firebaseAccountList: try .firebase(.parseList(rest))
        case .firebaseAccountRemove: try .firebase(.parseRemove(rest))
        }
    }

    private static func clientAction(_ topic: HelpTopic, _ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        switch topic {
        case .clientAdd: try .add(NewClient(parsing: rest))
        case .clientList: try .parseList(rest)
        case .clientUpdate: try .parseUpdate(rest)
        case .clientShow: try .parseShow(rest)
        case .clientRotate: try .parseRotate(rest)
        case .clientDisable: try .disable(ClientAction.id(rest, topic))
        case .clientEnable: try .enable(ClientAction.id(rest, topic))
        case .clientDelete: try .delete(ClientAction.id(rest, topic))
        case .clientTry: try .tryOut(ClientAction.id(rest, topic))
        case .clientRegistrationToken: try .parseRegistrationToken(rest)
        case .explainAuthorize: try .parseExplain(rest)
        default: throw unknown(rest, in: topic)
        }
    }

    private static func userAction(_ topic: HelpTopic, _ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        switch topic {
        case .userCreate: try .create(UserCreation(parsing: rest))
        case .userFind: try .find(UserSearch(parsing: rest))
        case .userShow: try .parseShow(rest)
        case .userDisable: try .disable(UserReference(parsing: rest, topic))
        case .userEnable: try .enable(UserReference(parsing: rest, topic))
        case .userSignOut: try .signOut(UserReference(parsing: rest, topic))
        case .userDelete: try .parseDelete(rest)
        case .userExport: try .export(UserReference(parsing: rest, topic))
        case .userSetPassword: try .parseSetPassword(rest)
        case .userSendReset: try .sendReset(UserReference(parsing: rest, topic))
        case .userVerifyEmail: try .verifyEmail(UserReference(parsing: rest, topic))
        case .userChangeEmail: try .parseChangeEmail(rest)
        case .userClaims: try .parseClaims(rest)
        case .userRoles: try .parseRoles(rest)
        default: throw unknown(rest, in: topic)
        }
    }

    private static func keysAction(_ topic: HelpTopic, _ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        switch topic {
        case .keysList: try .parseList(rest)
        case .keysRotate: try .parseRotate(rest)
        case .keysShow: try .parseShow(rest)
        case .keysReseal: try bare(.reseal, rest, topic)
        case .keysRetire: try .parseRetire(rest)
        default: throw unknown(rest, in: topic)
        }
    }

    private static func mailAction(_ topic: HelpTopic, _ rest: ArraySlice<String>) throws(ArgumentsError) -> MailAction {
        switch topic {
        case .mailShow: try .parseShow(rest)
        case .mailTest: try .parseTest(rest)
        case .mailTemplates: try .parseTemplates(rest)
        case .mailRetry: try bare(.retry, rest, topic)
        default: throw unknown(rest, in: topic)
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

    /// What takes neither options nor arguments.
    private static func bare<T>(_ value: T, _ rest: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) -> T {
        _ = try ArgumentScanner(rest, options: [], topic: topic).positional()
        return value
    }

    private static func configOutput(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ConfigOutput {
        let scanner = try ArgumentScanner(
            rest, options: [.init(name: "--markdown", takesValue: false), .init(name: "--texts", takesValue: true)],
            topic: .config)
        _ = try scanner.positional()
        let languages = PageTexts.languages
        let language = try scanner.value(of: "--texts", expected: languages.joined(separator: " or ")) { text in
            languages.contains(text) ? text : nil
        }
        if let language { return .texts(language) }
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
}
