package import Crypto
package import Identity

/// What to do with registered clients.
package enum ClientAction: Equatable, Sendable {
    case add(NewClient)
    case update(ClientID, ClientChange)
    case show(ClientID, asJSON: Bool)
    case list(asJSON: Bool)
    case rotate(ClientID, SecretRotation)
    case disable(ClientID)
    case enable(ClientID)
    case delete(ClientID)
    case tryOut(ClientID)
    case registrationToken(life: Duration, uses: Int, requiresPKCE: Bool)
    /// An authorization request, by its URL.
    case explain(url: String)

    /// What becomes of a client's secrets.
    package enum SecretRotation: Equatable, Sendable {
        /// There is a new one, and the old one stays good for the overlap.
        case replace(overlap: Duration)
        /// There is no new one, and the one before the present one ends.
        case endPrevious
    }

    package static let standardOverlap = Duration.seconds(24 * 3600)
    package static let longestOverlap = Duration.seconds(90 * 24 * 3600)
}

/// A client that is to be registered.
package struct NewClient: Equatable, Sendable {
    /// For people; never empty.
    package let name: String
    /// Nil for one that is made from the name or at random.
    package var id: ClientID?
    package let kind: Client.Kind
    package var change = ClientChange()

    package init(name: String, kind: Client.Kind) {
        self.name = name
        self.kind = kind
    }
}

/// What is said of a client on the command line; nil for what is not.
package struct ClientChange: Equatable, Sendable {
    package enum TokenFormat: Equatable, Sendable {
        case opaque
        /// Nil for the configured algorithm.
        case jwt(SignatureAlgorithm?)
    }

    package enum Keys: Equatable, Sendable {
        case file(path: String)
        case url(String)
    }

    package var name: String?
    package var introspects: Bool?
    package var isFirstParty: Bool?
    package var authenticationMethod: ClientAuthenticationMethod?
    package var keys: Keys?
    package var grantTypes: Set<GrantType>?
    package var redirectURIs: [String]?
    package var postLogoutRedirectURIs: [String]?
    package var frontChannelLogout: String?
    package var frontChannelLogoutRequiresSession: Bool?
    package var backChannelLogout: String?
    package var backChannelLogoutRequiresSession: Bool?
    package var scopes: [String]?
    package var audiences: [String]?
    package var requiresPKCE: Bool?
    package var requiresDPoP: Bool?
    package var rotatesRefreshTokens: Bool?
    package var tokenFormat: TokenFormat?
    package var idTokenAlgorithm: SignatureAlgorithm?
    package var userInfoAlgorithm: SignatureAlgorithm?
    package var accessTokenLifetime: Duration?
    package var sessionIdleLifetime: Duration?
    package var sessionLifetime: Duration?
    package var homePage: String?
    package var logo: String?
    package var policy: String?
    package var terms: String?
    package var contacts: [String]?
    /// What is to be empty from now on.
    package var cleared: Set<Clearable> = []

    /// The raw values are the names of the options, without hyphens.
    package enum Clearable: String, Sendable, CaseIterable {
        case redirectURI = "redirect-uri"
        case postLogoutRedirectURI = "post-logout-redirect-uri"
        case frontChannelLogoutURI = "front-channel-logout-uri"
        case backChannelLogoutURI = "back-channel-logout-uri"
        case keys = "jwks"
        case scope
        case userInfoAlgorithm = "userinfo-algorithm"
        case homePage = "client-uri"
        case logo = "logo-uri"
        case policy = "policy-uri"
        case terms = "tos-uri"
        case contact
    }

    package init() {}
}

extension ClientAction {
    static let idExpectation = "1 to 64 ASCII letters, digits, dots, underscores or hyphens, and not a UUID"

    static func parseRotate(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--overlap", takesValue: true), .init(name: "--now", takesValue: false),
            .init(name: "--end-previous", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .clientRotate)
        let id = try scanner.clientID()
        let overlap = try scanner.value(
            of: "--overlap", expected: "0, or a duration such as 24h, of \(DurationText.render(longestOverlap)) at most"
        ) { text in
            text == "0" ? .zero : (try? DurationText.parse(text)).flatMap { $0 <= longestOverlap ? $0 : nil }
        }
        let given = ["--overlap", "--now", "--end-previous"].filter { scanner.isGiven($0) }
        guard given.count < 2 else { throw scanner.failure(.contradiction(given[0], given[1])) }
        if scanner.isGiven("--end-previous") { return .rotate(id, .endPrevious) }
        return .rotate(id, .replace(overlap: scanner.isGiven("--now") ? .zero : overlap ?? standardOverlap))
    }

    static func parseRegistrationToken(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--life", takesValue: true), .init(name: "--uses", takesValue: true),
            .init(name: "--pkce", takesValue: true),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .clientRegistrationToken)
        _ = try scanner.positional()
        let life = try scanner.value(of: "--life", expected: "a duration from 1m to 30d") { text in
            (try? DurationText.parse(text)).flatMap { InitialAccessTokens.life.contains($0) ? $0 : nil }
        }
        let uses = try scanner.value(of: "--uses", expected: "a number from 1 to 1000") { text in
            Int(text).flatMap { InitialAccessTokens.uses.contains($0) ? $0 : nil }
        }
        let requiresPKCE = try scanner.value(of: "--pkce", expected: "required or optional") { text in
            ["required": true, "optional": false][text]
        }
        return .registrationToken(life: life ?? .seconds(3600), uses: uses ?? 1, requiresPKCE: requiresPKCE ?? true)
    }

    static func parseExplain(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        .explain(url: try ArgumentScanner(rest, options: [], topic: .explainAuthorize).positional("URL")[0])
    }

    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .clientShow)
        return .show(try scanner.clientID(), asJSON: scanner.isGiven("--json"))
    }

    static func parseList(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .clientList)
        _ = try scanner.positional()
        return .list(asJSON: scanner.isGiven("--json"))
    }

    static func parseUpdate(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let options =
            ClientChange.options + [
                .init(name: "--name", takesValue: true), .init(name: "--third-party", takesValue: false),
                .init(name: "--no-introspect", takesValue: false), .init(name: "--no-rotate", takesValue: false),
                .init(name: "--clear", takesValue: true, canRepeat: true),
            ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .clientUpdate)
        let id = try scanner.clientID()
        let change = try ClientChange(scanner)
        guard change != ClientChange() else { throw scanner.failure(.missing("what is to change")) }
        return .update(id, change)
    }

    /// A command that takes an id and nothing else.
    static func id(_ rest: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) -> ClientID {
        try ArgumentScanner(rest, options: [], topic: topic).clientID()
    }
}

extension ArgumentScanner {
    fileprivate func clientID() throws(ArgumentsError) -> ClientID {
        guard let id = ClientID(try positional("ID")[0]) else {
            throw failure(.invalid("ID", expected: ClientAction.idExpectation))
        }
        return id
    }
}

extension NewClient {
    /// The options that say what it is.
    static let kinds: [(option: String, kind: Client.Kind)] = [
        ("--web", .web), ("--native", .native), ("--spa", .spa), ("--service", .service), ("--device", .device),
        ("--resource-server", .resourceServer),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let options =
            ClientChange.options + Self.kinds.map { .init(name: $0.option, takesValue: false) } + [
                .init(name: "--id", takesValue: true)
            ]
        let scanner = try ArgumentScanner(arguments, options: options, topic: .clientAdd)
        let name = try scanner.positional("NAME")[0]
        guard ClientChange.isName(name) else { throw scanner.failure(.invalid("NAME", expected: ClientChange.nameExpectation)) }
        let kinds = Self.kinds.filter { scanner.isGiven($0.option) }
        guard kinds.count < 2 else { throw scanner.failure(.contradiction(kinds[0].option, kinds[1].option)) }
        // What may ask about tokens and is nothing else is a resource server.
        guard let kind = kinds.first?.kind ?? (scanner.isGiven("--introspect") ? .resourceServer : nil) else {
            throw scanner.failure(.missing("what it is (\(Self.kinds.map(\.option).joined(separator: ", ")))"))
        }
        self.init(name: name, kind: kind)
        id = try scanner.value(of: "--id", expected: ClientAction.idExpectation) { ClientID($0) }
        change = try ClientChange(scanner)
    }
}
