import Text

/// The parts of a `postgresql://` URI, split where libpq splits them, to see whether that is what was meant and to hide passwords.
///
/// libpq takes nearly every text: of one that lacks its host, or whose password has an unescaped `/`, it makes a port of the
/// password, and a port is shown and logged.
struct DatabaseURI {
    private let scheme: String
    private let isASCII: Bool
    /// Up to the first slash.
    private let authority: Substring
    /// From the first slash up to the query.
    private let path: Substring
    private let query: Substring?

    /// Nil for a text that libpq does not take for a URI.
    init?(_ text: String) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
        self.scheme = scheme
        isASCII = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let rest = text.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let front = rest[..<slash].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if front.count == 2 {
            (authority, path, query) = (front[0], "", rest[front[1].startIndex...])
        } else {
            let back = rest[slash...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            (authority, path, query) = (rest[..<slash], back.first ?? "", back.count == 2 ? back[1] : nil)
        }
    }

    /// Throws for a URI that libpq would read, but hardly as it was meant.
    func check() throws(SettingRefusal) {
        guard isASCII else { throw SettingRefusal("has a character that needs a %-escape in a URI") }
        let isMisplaced = authority.count(where: { $0 == "@" }) > 1 || path.contains("@") || (query?.contains("@") ?? false)
        guard !isMisplaced else {
            throw SettingRefusal(
                "has an @ where none belongs; user name, password and query need %-escapes for @, :, / and ?")
        }
        guard hosts.split(separator: ",").allSatisfy(Self.hasNumericPort) else {
            throw SettingRefusal("has a port that is not a number; maybe the host is missing")
        }
    }

    /// The URI without passwords. What is not known to be harmless is hidden too.
    var redacted: String {
        let parameters = query.map { query in
            "?" + query.split(separator: "&", omittingEmptySubsequences: false).map(Self.redacted).joined(separator: "&")
        }
        return scheme + redactedCredentials + hosts + path + (parameters ?? "")
    }

    private var hosts: Substring {
        authority.firstIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    }

    private var redactedCredentials: String {
        guard let at = authority.firstIndex(of: "@") else { return "" }
        let credentials = authority[..<at]
        guard let colon = credentials.firstIndex(of: ":") else { return credentials + "@" }
        return credentials[...colon] + SecretBytes.redaction + "@"
    }

    private static func hasNumericPort(_ host: Substring) -> Bool {
        let afterAddress = host.lastIndex(of: "]").map { host[$0...] } ?? host
        guard let colon = afterAddress.firstIndex(of: ":") else { return true }
        return afterAddress[colon...].dropFirst().utf8.allSatisfy(\.isDigit)
    }

    private static func redacted(_ parameter: Substring) -> String {
        let name = parameter.prefix { $0 != "=" }
        return DatabaseKeywords.isHarmless(String(name)) ? String(parameter) : "\(name)=\(SecretBytes.redaction)"
    }
}

/// The `keyword=value` form of libpq's connection strings, without its passwords.
enum DatabaseKeywords {
    private static let harmless: Set<String> = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "gssencmode", "host",
        "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts",
        "passfile", "port", "requirepeer", "service", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert",
        "sslcompression", "sslcrl", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs",
        "tcp_user_timeout", "user",
    ]

    /// Whether the value of a keyword can be shown. A keyword of a later libpq cannot.
    static func isHarmless(_ keyword: String) -> Bool {
        harmless.contains(keyword)
    }

    /// All of it hidden when it is not in the form that libpq documents.
    static func redacted(_ text: String) -> String {
        // Here characters are bytes, as for libpq: an accent cannot hide the quote that it follows.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return SecretBytes.redaction }
        var rest = Substring(text)
        var shown: [String] = []
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard !rest.isEmpty else { return shown.joined(separator: " ") }
            guard let pair = takePair(&rest) else { return SecretBytes.redaction }
            shown.append("\(pair.keyword)=\(isHarmless(pair.keyword) ? pair.value : SecretBytes.redaction)")
        }
    }

    private static func takePair(_ rest: inout Substring) -> (keyword: String, value: String)? {
        let keyword = rest.prefix { $0 != "=" && !$0.isWhitespace }
        let afterKeyword = rest[keyword.endIndex...].drop(while: \.isWhitespace)
        guard !keyword.isEmpty, afterKeyword.first == "=" else { return nil }
        rest = afterKeyword.dropFirst().drop(while: \.isWhitespace)
        guard let value = takeValue(&rest) else { return nil }
        return (String(keyword), value)
    }

    /// As it is written, quotes and backslashes included.
    private static func takeValue(_ rest: inout Substring) -> String? {
        let isQuoted = rest.first == "'"
        var value = ""
        if isQuoted { value.append(rest.removeFirst()) }
        while let character = rest.first {
            if !isQuoted, character.isWhitespace { return value }
            rest.removeFirst()
            value.append(character)
            switch character {
            case "'" where isQuoted:
                return rest.first?.isWhitespace ?? true ? value : nil
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default:
                break
            }
        }
        return isQuoted ? nil : value
    }
}

/// Variables that Kubernetes and old container links put into the environment of their own accord, named after a service.
///
/// For a service called `kidoban` they begin like settings (`KIDOBAN_SERVICE_HOST`, `KIDOBAN_PORT=tcp://10.0.0.1:8080`,
/// `KIDOBAN_PORT_8080_TCP_ADDR`), and nobody has mistyped anything.
enum ServiceLink {
    static func isOne(name: String, value: String) -> Bool {
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") { return true }
        if name.hasSuffix("_PORT"), ["tcp://", "udp://", "sctp://"].contains(where: value.hasPrefix) { return true }
        return isPort(name.split(separator: "_"))
    }

    /// Whether it ends in `PORT_8080_TCP`, with `PROTO`, `PORT` or `ADDR` behind it or not.
    private static func isPort(_ words: [Substring]) -> Bool {
        var words = words
        if let last = words.last, ["PROTO", "PORT", "ADDR"].contains(last) { words.removeLast() }
        guard let transport = words.popLast(), ["TCP", "UDP", "SCTP"].contains(transport) else { return false }
        guard let number = words.popLast(), number.utf8.allSatisfy(\.isDigit) else { return false }
        return words.last == "PORT"
    }
}
