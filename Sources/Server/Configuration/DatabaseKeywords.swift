import Text

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
