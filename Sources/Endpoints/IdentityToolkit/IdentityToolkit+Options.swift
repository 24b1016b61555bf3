package import Identity
import Text

extension IdentityToolkit {
    /// What an operator has decided about the project.
    package struct Options: Equatable, Sendable {
        /// Nil while there is none: then the API is off.
        package var project: String?
        /// Those that apps send; in the emulator any will do.
        package var apiKeys: [String] = []
        /// Whether everything is open to whoever can reach it, for tests on one machine.
        package var isEmulator = false
        /// Whether ID tokens and session cookies go out without a signature, as the emulator's: for SDKs that take no others there.
        package var hasUnsignedTokens = false
        /// The `iss` of ID tokens; nil for that of Google.
        package var issuer: String?
        /// Whether nobody is told which addresses have accounts.
        package var hidesAddresses = true
        package var allowsAnonymous = true
        package var allowsEmailLinks = true
        /// Hosts to which links may lead back, beside this server's own.
        package var domains: [String] = []
        package var minimumPassword = 8
        /// The project whose ID tokens are taken in exchange for sessions; nil for none.
        package var migratedProject: String?
        /// Where the public keys of that project are.
        package var migratedKeySetURL = FirebaseMigration.standardKeySetURL
        /// Of one request that imports users, in bytes: the SDKs send up to 1,000 at once.
        package var importBodyLimit = 4 * 1024 * 1024
        /// Where we are.
        package var site = ""
        /// Whom the tokens of clients are for that have no audience of their own.
        package var audience = ""

        package init() {}

        package var projectID: String { project ?? "" }

        package var idTokenIssuer: String { issuer ?? "https://securetoken.google.com/\(projectID)" }

        package var rules: ProjectRules {
            var rules = ProjectRules()
            rules.minimumPassword = isEmulator ? 6 : minimumPassword
            rules.refusesCommonPasswords = !isEmulator
            rules.allowsEmailLinks = allowsEmailLinks
            return rules
        }

        /// The app as it speaks Firebase. What Identity issues with a session of its own accord is given to nobody: the cheapest there is.
        package func client(_ id: ClientID, like app: Client) -> Client {
            Client(
                id: id, name: "Firebase", authentication: .publicClient, permissions: [.signIn],
                // Its refresh tokens are for the endpoint of this API, which makes ID tokens.
                grantTypes: [], audiences: [projectID],
                accessTokenFormat: .opaque, accessTokenLifetime: .seconds(3600), sessionLifetime: app.sessionLifetime,
                scopes: app.scopes, rotatesRefreshTokens: true, isFirstParty: true)
        }
    }

    /// What the API has of its own.
    package struct Parts: Sendable {
        package let options: Options
        package let client: Client
        package let accounts: ProjectAccounts
        package let providers: ProjectProviders
        package let clientTokens: ClientTokens
        package let system: SystemContext

        package init(
            options: Options, client: Client, accounts: ProjectAccounts, providers: ProjectProviders, clientTokens: ClientTokens,
            system: SystemContext
        ) {
            self.clientTokens = clientTokens
            self.options = options
            self.client = client
            self.accounts = accounts
            self.providers = providers
            self.system = system
        }
    }
}
