import Crypto
import Identity

extension ClientChange {
    static let nameExpectation = "1 to 200 characters, none of them a quote, a backslash or invisible"

    /// Those of `client add` and `client update` alike.
    static let options: [ArgumentScanner.Option] =
        [
            "--introspect", "--first-party", "--public", "--rotate", "--front-channel-logout-session",
            "--back-channel-logout-session",
        ].map { .init(name: $0, takesValue: false) }
        + [
            "--auth-method", "--jwks", "--jwks-uri", "--front-channel-logout-uri", "--back-channel-logout-uri", "--pkce",
            "--dpop",
            "--token-format", "--algorithm", "--id-token-algorithm", "--userinfo-algorithm", "--access-token-lifetime",
            "--session-idle-lifetime", "--session-lifetime", "--client-uri", "--logo-uri", "--policy-uri", "--tos-uri",
        ].map { .init(name: $0, takesValue: true) }
        + ["--grant", "--redirect-uri", "--post-logout-redirect-uri", "--scope", "--audience", "--contact"]
        .map { .init(name: $0, takesValue: true, canRepeat: true) }

    static func isName(_ text: String) -> Bool {
        Client.Bounds.name.contains(text.unicodeScalars.count) && text == text.printable
    }

    /// What each value by itself can be is looked at here; what goes together, in `Client.problems()`.
    init(_ scanner: ArgumentScanner) throws(ArgumentsError) {
        self.init()
        name = try scanner.value(of: "--name", expected: Self.nameExpectation) { Self.isName($0) ? $0 : nil }
        introspects = try scanner.flag("--introspect", "--no-introspect")
        isFirstParty = try scanner.flag("--first-party", "--third-party")
        rotatesRefreshTokens = try scanner.flag("--rotate", "--no-rotate")
        try readAuthentication(scanner)
        grantTypes = try scanner.set("--grant", Self.grants)
        redirectURIs = scanner.list("--redirect-uri")
        postLogoutRedirectURIs = scanner.list("--post-logout-redirect-uri")
        frontChannelLogout = scanner.values(of: "--front-channel-logout-uri").first
        backChannelLogout = scanner.values(of: "--back-channel-logout-uri").first
        frontChannelLogoutRequiresSession = scanner.isGiven("--front-channel-logout-session") ? true : nil
        backChannelLogoutRequiresSession = scanner.isGiven("--back-channel-logout-session") ? true : nil
        audiences = try scanner.list(
            "--audience", expected: "1 to 255 visible ASCII characters, no quote or backslash", \.isAudience)
        scopes = try scanner.list("--scope", expected: "1 to 64 visible ASCII characters, no quote or backslash", \.isScope)
        try readTokens(scanner)
        homePage = scanner.values(of: "--client-uri").first
        logo = scanner.values(of: "--logo-uri").first
        policy = scanner.values(of: "--policy-uri").first
        terms = scanner.values(of: "--tos-uri").first
        contacts = try scanner.list("--contact", expected: "1 to 200 characters on one line") {
            Client.Bounds.contact.contains($0.utf8.count) && $0 == $0.printable
        }
        try readClearing(scanner)
    }

    private static let grants: [String: GrantType] = [
        "authorization_code": .authorizationCode, "refresh_token": .refreshToken, "client_credentials": .clientCredentials,
        "device_code": .deviceCode, GrantType.deviceCode.rawValue: .deviceCode, "token_exchange": .tokenExchange,
        GrantType.tokenExchange.rawValue: .tokenExchange, "jwt_bearer": .jwtBearer, GrantType.jwtBearer.rawValue: .jwtBearer,
    ]

    private mutating func readAuthentication(_ scanner: ArgumentScanner) throws(ArgumentsError) {
        let methods = ClientAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
        authenticationMethod = try scanner.value(of: "--auth-method", expected: "one of \(methods)") {
            ClientAuthenticationMethod(rawValue: $0)
        }
        if scanner.isGiven("--public") {
            guard authenticationMethod ?? .nothing == .nothing else {
                throw scanner.failure(.contradiction("--public", "--auth-method"))
            }
            authenticationMethod = .nothing
        }
        switch (scanner.values(of: "--jwks").first, scanner.values(of: "--jwks-uri").first) {
        case (nil, nil): break
        case (let path?, nil): keys = .file(path: path)
        case (nil, let url?): keys = .url(url)
        case (.some, .some): throw scanner.failure(.contradiction("--jwks", "--jwks-uri"))
        }
    }

    private mutating func readTokens(_ scanner: ArgumentScanner) throws(ArgumentsError) {
        let need = ["required": true, "optional": false]
        requiresPKCE = try scanner.value(of: "--pkce", expected: "required or optional") { need[$0] }
        requiresDPoP = try scanner.value(of: "--dpop", expected: "required or optional") { need[$0] }
        let algorithms = { @Sendable (text: String) in [SignatureAlgorithm.es256, .rs256].first { $0.rawValue == text } }
        let algorithm = try scanner.value(of: "--algorithm", expected: "ES256 or RS256", algorithms)
        idTokenAlgorithm = try scanner.value(of: "--id-token-algorithm", expected: "RS256 or ES256", algorithms)
        userInfoAlgorithm = try scanner.value(of: "--userinfo-algorithm", expected: "RS256 or ES256", algorithms)
        let isOpaque = try scanner.value(of: "--token-format", expected: "jwt or opaque") { text in
            ["jwt": false, "opaque": true][text]
        }
        if isOpaque == true, algorithm != nil { throw scanner.failure(.contradiction("--algorithm", "--token-format opaque")) }
        if isOpaque != nil || algorithm != nil { tokenFormat = isOpaque == true ? .opaque : .jwt(algorithm) }
        accessTokenLifetime = try scanner.duration("--access-token-lifetime", Client.Bounds.accessTokenLifetime)
        sessionIdleLifetime = try scanner.duration("--session-idle-lifetime", Client.Bounds.sessionLifetime)
        sessionLifetime = try scanner.duration("--session-lifetime", Client.Bounds.sessionLifetime)
    }

    private mutating func readClearing(_ scanner: ArgumentScanner) throws(ArgumentsError) {
        for text in scanner.values(of: "--clear") {
            guard let field = Clearable(rawValue: text) else {
                let names = Clearable.allCases.map(\.rawValue).joined(separator: ", ")
                throw scanner.failure(.invalid("--clear", expected: "one of \(names)"))
            }
            guard !scanner.isGiven("--" + text) else { throw scanner.failure(.contradiction("--clear \(text)", "--\(text)")) }
            cleared.insert(field)
        }
    }
}

extension ArgumentScanner {
    /// One of two options without a value that say the opposite.
    fileprivate func flag(_ yes: String, _ no: String) throws(ArgumentsError) -> Bool? {
        guard !(isGiven(yes) && isGiven(no)) else { throw failure(.contradiction(yes, no)) }
        return isGiven(yes) ? true : isGiven(no) ? false : nil
    }

    /// The values of an option that can be repeated, each once; nil when there are none.
    fileprivate func list(_ option: String) -> [String]? {
        guard isGiven(option) else { return nil }
        return values(of: option).reduce(into: []) { list, text in if !list.contains(text) { list.append(text) } }
    }

    fileprivate func list(_ option: String, expected: String, _ isGood: (String) -> Bool) throws(ArgumentsError) -> [String]? {
        let list = list(option)
        guard list?.allSatisfy(isGood) ?? true else { throw failure(.invalid(option, expected: expected)) }
        return list
    }

    fileprivate func set(_ option: String, _ known: [String: GrantType]) throws(ArgumentsError) -> Set<GrantType>? {
        guard let texts = list(option) else { return nil }
        let grants = texts.compactMap { known[$0] }
        guard grants.count == texts.count else {
            let expected = "authorization_code, refresh_token, client_credentials, device_code, token_exchange or jwt_bearer"
            throw failure(.invalid(option, expected: expected))
        }
        return Set(grants)
    }

    fileprivate func duration(_ option: String, _ range: ClosedRange<Duration>) throws(ArgumentsError) -> Duration? {
        let (low, high) = (DurationText.render(range.lowerBound), DurationText.render(range.upperBound))
        return try value(of: option, expected: "a duration in whole seconds from \(low) to \(high), such as 15m") { text in
            guard let duration = try? DurationText.parse(text), range.contains(duration), duration.components.attoseconds == 0
            else {
                return nil
            }
            return duration
        }
    }
}
