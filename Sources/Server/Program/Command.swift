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
        case .clientAdd: try .client(.add(NewClient(parsing: rest)))
        case .clientUpdate: try .client(.parseUpdate(rest))
        case .clientShow: try .client(.parseShow(rest))
        case .clientList: try .client(.parseList(rest))
        case .clientRotate: try .client(.parseRotate(rest))
        case .clientDisable: try .client(.disable(ClientAction.id(rest, topic)))
        case .clientEnable: try .client(.enable(ClientAction.id(rest, topic)))
        case .clientDelete: try .client(.delete(ClientAction.id(rest, topic)))
        case .clientTry: try .client(.tryOut(ClientAction.id(rest, topic)))
        case .clientRegistrationToken: try .client(.parseRegistrationToken(rest))
        case .explainAuthorize: try .client(.parseExplain(rest))
        case .sessionsPrune: try .sessions(.parsePrune(rest))
        case .sessionsEnd: try .sessions(.parseEnd(rest))
        case .limitsLift: try .limits(.parseLift(rest))
        case .auditRetention: try .auditRetention(.parse(rest))
        case .userSetPassword: try .user(.parseSetPassword(rest))
        case .userSendReset: try .user(.sendReset(UserReference(parsing: rest, topic)))
        case .userChangeEmail: try .user(.parseChangeEmail(rest))
        case .userVerifyEmail: try .user(.verifyEmail(UserReference(parsing: rest, topic)))
        case .importFirebase: try .importUsers(ImportRequest(.firebase, parsing: rest, topic))
        case .importDjango: try .importUsers(ImportRequest(.django, parsing: rest, topic))
        case .importSupabase: try .importUsers(ImportRequest(.supabase, parsing: rest, topic))
        case .importLines: try .importUsers(ImportRequest(.jsonl, parsing: rest, topic))
        case .exportUsers: try .exportUsers(ExportRequest(parsing: rest))
        case .firebaseAccountAdd: try .firebase(.parseAdd(rest))
        case .firebaseAccountList: try .firebase(.parseList(rest))
        case .firebaseAccountRemove: try .firebase(.parseRemove(rest))
        case .userClaims: try .user(.parseClaims(rest))
        case .userRoles: try .user(.parseRoles(rest))
        case .mailRetry: try bare(.mail(.retry), rest, topic)
        case .audit: try .audit(AuditQuestion(parsing: rest))
        case .userCreate: try .user(.create(UserCreation(parsing: rest)))
        case .userFind: try .user(.find(UserSearch(parsing: rest)))
        case .userShow: try .user(.parseShow(rest))
        case .userDisable: try .user(.disable(UserReference(parsing: rest, topic)))
        case .userEnable: try .user(.enable(UserReference(parsing: rest, topic)))
        case .userSignOut: try .user(.signOut(UserReference(parsing: rest, topic)))
        case .userDelete: try .user(.parseDelete(rest))
        case .userExport: try .user(.export(UserReference(parsing: rest, topic)))
        case .keysList: try .keys(.parseList(rest))
        case .keysRotate: try .keys(.parseRotate(rest))
        case .mailShow: try .mail(.parseShow(rest))
        case .mailTest: try .mail(.parseTest(rest))
        case .mailTemplates: try .mail(.parseTemplates(rest))
        case .keysRetire: try .keys(.parseRetire(rest))
        case .keysShow: try .keys(.parseShow(rest))
        case .keysReseal: try bare(.keys(.reseal), rest, topic)
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
}
