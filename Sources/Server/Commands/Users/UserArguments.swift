package import Identity
package import Text

/// How an operator names one user.
package enum UserReference: Equatable, Sendable, CustomStringConvertible {
    case id(UserID)
    case email(EmailAddress)

    /// Nil for what is neither an id nor an address.
    init?(_ text: String) {
        if let id = UserID(text) {
            self = .id(id)
        } else if let email = try? EmailAddress(text) {
            self = .email(email)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .id(let id): id.description
        case .email(let email): email.normalized
        }
    }
}

/// What to do with users.
package enum UserAction: Equatable, Sendable {
    case create(UserCreation)
    case find(UserSearch)
    case show(UserReference, asJSON: Bool)
    case disable(UserReference)
    case enable(UserReference)
    case signOut(UserReference)
    /// - Parameter isConfirmed: whether nobody has to be asked.
    case delete(UserReference, isConfirmed: Bool)
    case export(UserReference)
    /// - Parameter isGenerated: whether it is made up and printed, instead of read.
    static func parseChangeEmail(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let options = [ArgumentScanner.Option(name: "--verified", takesValue: false)]
        let scanner = try ArgumentScanner(rest, options: options, topic: .userChangeEmail)
        let words = try scanner.positional("USER", "NEW")
        guard let user = UserReference(words[0]) else {
            throw scanner.failure(.invalid("USER", expected: UserReference.expectation))
        }
        guard let address = try? EmailAddress(words[1]) else {
            throw scanner.failure(.invalid("NEW", expected: "an e-mail address"))
        }
        return .changeEmail(user, address, isProved: scanner.isGiven("--verified"))
    }

    case setPassword(UserReference, isGenerated: Bool)
    case sendReset(UserReference)
    case verifyEmail(UserReference)
    /// - Parameter isProved: whether the operator vouches for the new address.
    case changeEmail(UserReference, EmailAddress, isProved: Bool)
    /// - Parameter change: what takes their place; nil to print them.
    case claims(UserReference, change: JSONObject?)
    case roles(UserReference, change: [String]?)
}

/// A user who is to be made.
package struct UserCreation: Equatable, Sendable {
    package let email: String
    package var displayName: String?
    package var isVerified = false
    /// Whether one is read, from the terminal or the standard input.
    package var hasPassword = true

    package init(email: String) {
        self.email = email
    }
}

/// Which users are looked for.
package struct UserSearch: Equatable, Sendable {
    package enum Term: Equatable, Sendable {
        case id(UserID)
        case prefix(EmailPrefix)
    }

    package static let limits = 1...1000

    package let term: Term
    package var limit = 20
    package var asJSON = false

    package init(_ term: Term) {
        self.term = term
    }
}

extension UserReference {
    static let expectation = "the id of a user or a whole e-mail address"

    init(parsing rest: ArraySlice<String>, _ topic: HelpTopic) throws(ArgumentsError) {
        self = try Self.parse(rest, flag: nil, topic).user
    }

    /// The one argument of a command.
    init(named scanner: ArgumentScanner) throws(ArgumentsError) {
        guard let reference = UserReference(try scanner.positional("USER")[0]) else {
            throw scanner.failure(.invalid("USER", expected: Self.expectation))
        }
        self = reference
    }

    /// - Parameter flag: the option that there is, and whether it is given.
    fileprivate static func parse(
        _ rest: ArraySlice<String>, flag: String?, _ topic: HelpTopic
    ) throws(ArgumentsError) -> (user: UserReference, isFlagged: Bool) {
        let options = [flag].compactMap(\.self).map { ArgumentScanner.Option(name: $0, takesValue: false) }
        let scanner = try ArgumentScanner(rest, options: options, topic: topic)
        return (try UserReference(named: scanner), flag.map { scanner.isGiven($0) } ?? false)
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

    static func parseSetPassword(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let (user, isGenerated) = try UserReference.parse(rest, flag: "--generate", .userSetPassword)
        return .setPassword(user, isGenerated: isGenerated)
    }
}

extension UserAction {
    static func parseClaims(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--set", takesValue: true), .init(name: "--clear", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .userClaims)
        let user = try UserReference(named: scanner)
        let object = try scanner.value(of: "--set", expected: "a JSON object, such as {\"plan\":\"gold\"}") {
            try? JSON.parse($0).objectValue
        }
        guard scanner.isGiven("--clear") else { return .claims(user, change: object) }
        guard object == nil else { throw scanner.failure(.contradiction("--set", "--clear")) }
        return .claims(user, change: JSONObject())
    }

    static func parseRoles(_ rest: ArraySlice<String>) throws(ArgumentsError) -> UserAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--set", takesValue: true, canRepeat: true), .init(name: "--clear", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .userRoles)
        let user = try UserReference(named: scanner)
        let names = scanner.values(of: "--set")
        guard scanner.isGiven("--clear") else { return .roles(user, change: names.isEmpty ? nil : names) }
        guard names.isEmpty else { throw scanner.failure(.contradiction("--set", "--clear")) }
        return .roles(user, change: [])
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
