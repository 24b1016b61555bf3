import Endpoints
import HTTP
import Identity
import Networking
import Redis
import Routing

extension EnvironmentReader {
    /// Settings that are right by themselves but not together.
    mutating func refuseContradictions() {
        refuseOneAddressForTwo()
        refuseLonger(
            "KIDOBAN_SESSION_IDLE_LIFETIME", \.sessions.idleLifetime,
            than: "KIDOBAN_SESSION_LIFETIME", \.sessions.absoluteLifetime)
        refuseLonger(
            "KIDOBAN_ACCESS_TOKEN_LIFETIME", \.tokens.accessTokenLifetime,
            than: "KIDOBAN_SESSION_IDLE_LIFETIME", \.sessions.idleLifetime)
        refuseLonger(
            "KIDOBAN_REFRESH_GRACE", \.sessions.refreshGrace,
            than: "KIDOBAN_REFRESH_RECOVERY", \.sessions.refreshRecovery)
        if configuration.app.believesUnprovedIdentities, !IssuerURL.isOnThisMachine(configuration.issuer) {
            refuseContradiction(
                of: "KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH", with: "KIDOBAN_ISSUER",
                "would let anybody in as anybody, and KIDOBAN_ISSUER is not on this machine")
        }
        refuseLonger(
            "KIDOBAN_COOKIE_IDLE_LIFETIME", \.cookies.idleLifetime,
            than: "KIDOBAN_COOKIE_LIFETIME", \.cookies.absoluteLifetime)
        refuseLonger(
            "KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME", \.cookies.rememberedIdleLifetime,
            than: "KIDOBAN_COOKIE_REMEMBERED_LIFETIME", \.cookies.rememberedLifetime)
        if configuration.cookies.sameSite == .none, !configuration.issuer.hasPrefix("https:") {
            refuseContradiction(
                of: "KIDOBAN_COOKIE_SAME_SITE", with: "KIDOBAN_ISSUER",
                "is none, which browsers take with https only, and KIDOBAN_ISSUER does not begin with https:")
        }
        refuseOneMasterKeyTwice()
        refuseHalfOfAppleKey()
        refuseProxyProtocolOfNobody()
        refuseLockingOut()
        refuseForeignCodeClients()
        refuseMailOfNobody()
        refuseTellingUsernames()
        refuseVerifyingForEverybody()
        if configuration.redis.authoritiesFile != nil, !configuration.redis.usesTLS {
            refuseContradiction(
                of: "KIDOBAN_REDIS_CA_FILE", with: "REDIS_URL", "has no use, because REDIS_URL does not begin with rediss://")
        }
    }

    private mutating func refuseOneMasterKeyTwice() {
        let secrets = configuration.secrets
        guard let previous = secrets.previousMasterKey, secrets.masterKey?.id == previous.id else { return }
        refuseContradiction(
            of: "KIDOBAN_PREVIOUS_MASTER_KEY", with: "KIDOBAN_MASTER_KEY",
            "is the same as KIDOBAN_MASTER_KEY: set it while there are two, and remove it afterwards")
    }

    /// One address must run into its own budget before it has used up the account's.
    private mutating func refuseLockingOut() {
        let limits = configuration.limits
        guard limits.isEnforced, let account = limits[.signInAccount] else { return }
        let ofOneAddress = limits[.signInAccountAddress]
        guard let ofOneAddress, ofOneAddress.count < account.count, ofOneAddress.isSlower(than: account) else {
            return refuseContradiction(
                of: "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT", with: "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT_ADDRESS",
                "can be used up by one address, which would keep the owner out: it has to be above "
                    + "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT_ADDRESS, in count and in speed, or off")
        }
    }

    private mutating func refuseProxyProtocolOfNobody() {
        let proxies = configuration.http.proxies
        guard proxies.proxyProtocol == .on, proxies.blocks.isEmpty else { return }
        refuseContradiction(
            of: "KIDOBAN_PROXY_PROTOCOL", with: "KIDOBAN_TRUSTED_PROXIES",
            "is on, but KIDOBAN_TRUSTED_PROXIES names no proxy that may use it")
    }

    /// Team, key and name of the key are of use together only.
    private mutating func refuseHalfOfAppleKey() {
        let parts = [
            ("KIDOBAN_APPLE_TEAM_ID", configuration.providerTokens.appleTeamID != nil),
            ("KIDOBAN_APPLE_KEY_ID", configuration.providerTokens.appleKeyID != nil),
            ("KIDOBAN_APPLE_PRIVATE_KEY", configuration.providerTokens.applePrivateKey != nil),
        ]
        guard let (given, _) = parts.first(where: { $0.1 }) else { return }
        for (name, isGiven) in parts where !isGiven {
            refuseContradiction(of: name, with: given, "is missing, but \(given) is set")
        }
    }

    /// The id token that comes for a code is for the client that the code was made for.
    private mutating func refuseForeignCodeClients() {
        let clients = [
            ("APPLE", configuration.providerTokens.explicitAppleCodeClientID, configuration.federation.apple.clientIDs),
            ("GOOGLE", configuration.providerTokens.explicitGoogleCodeClientID, configuration.federation.google.clientIDs),
        ]
        for (word, client, clientIDs) in clients {
            guard let client, !clientIDs.contains(client) else { continue }
            refuseContradiction(
                of: "KIDOBAN_\(word)_CODE_CLIENT_ID", with: "KIDOBAN_\(word)_CLIENT_IDS",
                "is not among KIDOBAN_\(word)_CLIENT_IDS")
        }
        if configuration.providerTokens.googleClientSecret != nil, configuration.federation.google.clientIDs.isEmpty {
            refuseContradiction(
                of: "KIDOBAN_GOOGLE_CLIENT_SECRET", with: "KIDOBAN_GOOGLE_CLIENT_IDS",
                "has no use, because KIDOBAN_GOOGLE_CLIENT_IDS is not set")
        }
    }

    /// A username that is taken after a sign-up says that the address was free.
    private mutating func refuseTellingUsernames() {
        guard configuration.accounts.signsUpByMail, configuration.apis.open.contains("rest-auth"),
            configuration.restAuth.loginName != .email
        else { return }
        refuseContradiction(
            of: "KIDOBAN_SIGN_UP_BY_MAIL", with: "KIDOBAN_REST_AUTH_LOGIN_NAME",
            "does not go together with usernames in KIDOBAN_REST_AUTH_LOGIN_NAME, because a username that is taken tells of the address"
        )
    }

    /// Whoever may ask learns whom a token belongs to.
    private mutating func refuseVerifyingForEverybody() {
        let backends = configuration.backends
        guard !backends.isVerifyOpenToAnybody, backends.verifyFrom.contains(where: \.block.isAsGoodAsEverybody) else { return }
        refuseContradiction(
            of: "KIDOBAN_VERIFY_FROM", with: "KIDOBAN_VERIFY_FROM_ANYBODY",
            "has a network that is as good as everybody; KIDOBAN_VERIFY_FROM_ANYBODY=true says that it is meant")
    }

    private mutating func refuseMailOfNobody() {
        let mail = configuration.mail
        guard let server = mail.server else { return }
        if mail.sender == nil {
            refuseContradiction(of: "KIDOBAN_MAIL_SENDER", with: "KIDOBAN_SMTP_URL", "is missing, but KIDOBAN_SMTP_URL is set")
        }
        refuseLonger("KIDOBAN_SMTP_CONNECT_TIMEOUT", \.mail.connectTimeout, than: "KIDOBAN_SMTP_TIMEOUT", \.mail.timeout)
        guard mail.tls == .none else { return }
        if server.isSecure {
            refuseContradiction(
                of: "KIDOBAN_SMTP_TLS", with: "KIDOBAN_SMTP_URL", "is none, but KIDOBAN_SMTP_URL begins with smtps://")
        } else if server.username != nil, !server.isLoopback {
            refuseContradiction(
                of: "KIDOBAN_SMTP_TLS", with: "KIDOBAN_SMTP_URL",
                "is none, and the password in KIDOBAN_SMTP_URL would travel in the clear")
        }
    }

    private mutating func refuseLonger(
        _ name: String, _ property: KeyPath<Configuration, Duration>,
        than other: String, _ bound: KeyPath<Configuration, Duration>
    ) {
        let (value, limit) = (configuration[keyPath: property], configuration[keyPath: bound])
        guard value > limit else { return }
        refuseContradiction(
            of: name, with: other, "(\(DurationText.render(value))) is longer than \(other) (\(DurationText.render(limit)))")
    }

    /// Also when one of them is every address of the machine, and so contains the other.
    private mutating func refuseOneAddressForTwo() {
        guard case .ip(let address, let port) = configuration.http.listen,
            case .ip(let otherAddress, let otherPort) = configuration.operations.listen,
            port == otherPort, port != 0
        else { return }
        guard address == otherAddress || address.isEvery || otherAddress.isEvery else { return }
        refuseContradiction(
            of: "KIDOBAN_OPERATIONS_LISTEN", with: "KIDOBAN_LISTEN", "takes the address and port of KIDOBAN_LISTEN")
    }
}

extension IPAddress {
    /// The unspecified address, which stands for all of the machine.
    fileprivate var isEvery: Bool {
        self == .v4(0) || self == .v6(0, 0)
    }
}
