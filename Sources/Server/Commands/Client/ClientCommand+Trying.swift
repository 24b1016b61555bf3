import Crypto
import Identity
import Routing
import Text

/// `kidoban client try`, `client registration-token` and `explain authorize`: what helps whoever connects a client.
extension ClientCommand {
    /// Prints an authorization request that is right, and how to get tokens for the code that comes of it.
    func tryOut(_ id: ClientID) async throws(Complaint) -> Int32 {
        guard let client = try await registered(id) else { throw unknown(id) }
        guard client.grantTypes.contains(.authorizationCode), let redirectURI = client.redirectURIs.first else {
            throw Complaint("\(id) signs nobody in by a browser: it lacks the grant authorization_code")
        }
        let verifier = Base64URL.encode(context.system.random(32))
        let fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", id.text), ("redirect_uri", redirectURI.text),
            ("scope", (["openid"] + client.scopes.filter { $0 != "openid" }).joined(separator: " ")),
            ("state", Base64URL.encode(context.system.random(12))), ("nonce", Base64URL.encode(context.system.random(12))),
            ("code_challenge", Base64URL.encode(SHA256.hash(verifier).bytes)), ("code_challenge_method", "S256"),
        ]
        let proof =
            switch client.authenticationMethod {
            case .nothing: "-d client_id=\(id)"
            case .clientSecretBasic: "-u '\(id):SECRET'"
            case .clientSecretPost: "-d client_id=\(id) -d client_secret=SECRET"
            case .privateKeyJWT:
                "-d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion=JWT"
            }
        return console.print(
            """
            Open this in a browser:

            \(configuration.issuer)/oauth2/authorize?\(PercentEncoding.encode(fields: fields))

            It ends at \(redirectURI.text) with a code, which is good for a minute. Put it in the place of CODE:

            curl \(proof) -d grant_type=authorization_code -d code=CODE \\
              --data-urlencode redirect_uri='\(redirectURI.text)' -d code_verifier=\(verifier) \\
              \(configuration.issuer)/oauth2/token

            """)
    }

    private func registered(_ id: ClientID) async throws(Complaint) -> Client? {
        try await context.administer { admin throws(AdministrationError) in try await admin.client(id) }?.client
    }

    /// Prints a token with which software may register itself.
    func makeRegistrationToken(life: Duration, uses: Int, requiresPKCE: Bool) async throws(Complaint) -> Int32 {
        try await context.checkMasterKey()
        guard let masterKey = configuration.secrets.acceptedMasterKeys, let tokens = try? InitialAccessTokens(masterKey) else {
            throw Complaint("KIDOBAN_MASTER_KEY is missing")
        }
        let end = context.system.now().adding(life)
        let token = tokens.token(
            until: end, uses: uses, allowsOmittingPKCE: !requiresPKCE,
            random: context.system.random(InitialAccessTokens.randomByteCount))
        console.complain(
            "good for \(uses == 1 ? "one registration" : "\(uses) registrations") at \(configuration.issuer)/oauth2/register, until \(end.iso8601)"
        )
        return console.print(token.revealedText + "\n")
    }

    /// Says of each check of the authorization endpoint whether a request passes it.
    func explain(_ url: String) async throws(Complaint) -> Int32 {
        let query = url.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        guard let fields = try? FormFields(withRepetitions: Array(query.utf8)) else {
            throw Complaint("the URL has no query that can be read")
        }
        let parameters = AuthorizationParameters(fields.pairs)
        if parameters["request_uri"]?.hasPrefix(PushedRequests.prefix) ?? false {
            throw Complaint("this request was pushed: its parameters were checked then, and are not in the URL")
        }
        var client: Client?
        if let id = parameters["client_id"].flatMap({ ClientID($0) }) {
            client = try await registered(id)
            if client?.isDisabled ?? false { client = nil }
        }
        let findings = AuthorizationCheck().findings(parameters, client: client)
        var lines = findings.map { "\($0.refusal == nil ? "ok  " : "NO  ") \($0.name)" }
        let refusal = findings.last?.refusal
        if let refusal {
            lines.append("")
            lines.append("\(refusal.code.rawValue): \(refusal.description)")
            lines.append(
                findings.count == 1
                    ? "The user is shown an error page, and nobody is redirected." : "The client is sent this error.")
        } else {
            lines.append("")
            lines.append("The request is right. What comes next depends on the user: sign-in, consent, and then the code.")
        }
        let printed = console.print(lines.joined(separator: "\n") + "\n")
        return refusal == nil ? printed : ExitStatus.failure
    }
}
