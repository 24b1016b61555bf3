package import Crypto
package import Identity
package import Networking

/// What the program is asked to do.
package enum Command: Equatable, Sendable {
    case serve
    case migrate
    case health
    case doctor(DoctorOutput)
    case client(ClientAction)
    case user(UserAction)
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

    /// How `kidoban doctor` prints what it has found.
    package enum DoctorOutput: Equatable, Sendable {
        /// For people.
        case text
        /// For machines.
        case json
    }

    /// Whether it cannot do without the master key of the installation.
    var needsMasterKey: Bool {
        switch self {
        case .serve, .keys(.rotate), .keys(.retire), .mail(.show), .limits, .user(.setPassword), .user(.sendReset),
            .user(.changeEmail):
            true
        case .migrate, .health, .doctor, .client, .user, .sessions, .audit, .auditRetention, .keys(.list), .mail(.test),
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

/// What to do with registered clients.
package enum ClientAction: Equatable, Sendable {
    case add(NewClient)
    case list
    case remove(ClientID)
    /// - Parameter overlap: how long the old secret stays good.
    case rotateSecret(ClientID, overlap: Duration)

    package static let standardOverlap = Duration.seconds(24 * 3600)
    package static let longestOverlap = Duration.seconds(90 * 24 * 3600)
}

/// A client that is to be registered.
package struct NewClient: Equatable, Sendable {
    /// What kind of access token it gets.
    package enum TokenFormat: Equatable, Sendable {
        case opaque
        /// With the configured algorithm, unless one is named.
        case jwt(SignatureAlgorithm?)
    }

    /// In Unicode scalars.
    package static let maximumNameLength = 200

    /// For people; never empty.
    package let name: String
    /// Nil for one that is made from the name or at random.
    package var id: ClientID?
    package var permissions: Set<Client.Permission> = []
    /// As they were given, without repetitions; none for those of the configuration.
    package var audiences: [String] = []
    package var tokenFormat: TokenFormat = .jwt(nil)
    /// As they were given, without repetitions; nil for the usual ones.
    package var scopes: [String]?
    /// Whether each use of a refresh token replaces it.
    package var rotatesRefreshTokens = false

    package init(name: String) {
        self.name = name
    }

    /// - Parameter algorithm: the configured one.
    package func accessTokenFormat(signedWith algorithm: SignatureAlgorithm) -> AccessTokenFormat {
        switch tokenFormat {
        case .opaque: .opaque
        case .jwt(let chosen): chosen ?? algorithm == .rs256 ? .jwtRS256 : .jwtES256
        }
    }
}

/// A token that is to be explained.
package struct IDTokenQuestion: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        case standardInput
        case argument(String)
        case file(path: String)
    }

    package var source = Source.standardInput
    /// Nil when there is only one to choose from.
    package var provider: ProviderID?
    package var nonce: String?

    package init() {}
}

/// How the issuer for development runs.
package struct DevIssuerOptions: Equatable, Sendable {
    /// On this machine; port 0 lets the kernel choose.
    package var listen = SocketAddress.ip(.v4(0x7F00_0001), port: 8090)

    package init() {}
}
