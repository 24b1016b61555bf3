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
        case .serve, .keys(.rotate), .keys(.retire), .keys(.reseal), .mail(.show), .limits, .user(.setPassword),
            .user(.sendReset):
            true
        case .migrate, .health, .doctor, .client, .user, .sessions, .audit, .auditRetention, .keys(.list), .keys(.show),
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
