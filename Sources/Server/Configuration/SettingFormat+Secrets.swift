import Identity
import Postgres
import Redis
import Text

extension SettingFormat where Value == MasterKey {
    static var masterKey: SettingFormat {
        SettingFormat(
            "32 random bytes as 43 characters of base64url or 64 hexadecimal digits, such as `openssl rand -hex 32` prints",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let key = MasterKey(SecretString(text)) else { throw SettingRefusal("is not a master key") }
                return key
            },
            render: { _, _ in SecretBytes.redaction })
    }
}

extension SettingFormat where Value == ConnectionString {
    static var database: SettingFormat {
        SettingFormat(
            "a connection string of libpq: a `postgresql://` URI or `keyword=value` pairs",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                if let uri = DatabaseURI(text) { try uri.check() }
                guard let configuration = try? PostgresConfiguration(connectionString: text) else {
                    throw SettingRefusal("is not a connection string that libpq can read")
                }
                return configuration.connectionString
            },
            render: { _, text in (DatabaseURI(text)?.redacted ?? DatabaseKeywords.redacted(text)).printable })
    }
}

extension SettingFormat where Value == RedisConfiguration {
    static var redis: SettingFormat {
        SettingFormat(
            "`redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, or `unix:///path[?db=N]`",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let configuration = RedisConfiguration(url: text), configuration.endpoint.isPlausible else {
                    throw SettingRefusal("is not the URL of a Redis; the user name and password need %-escapes for @, :, / and %")
                }
                guard configuration.username == nil || configuration.password != nil else {
                    throw SettingRefusal("has a user name without a password")
                }
                return configuration
            },
            render: { value, _ in value.redactedURL.printable })
    }
}

extension RedisConfiguration.Endpoint {
    /// Whether a host is made of a host's characters, and not of a query or a password that went astray.
    fileprivate var isPlausible: Bool {
        switch self {
        case .host(let host, _): host.utf8.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: ":") }
        case .unix: true
        }
    }
}

extension RedisConfiguration {
    /// The URL that leads here, put together from what was understood of the one that was given.
    fileprivate var redactedURL: String {
        switch endpoint {
        case .host(let host, let port):
            let credentials = password == nil ? "" : "\(username ?? ""):\(SecretBytes.redaction)@"
            let name = host.contains(":") ? "[\(host)]" : host
            let path = database == 0 ? "" : "/\(database)"
            return "\(usesTLS ? "rediss" : "redis")://\(credentials)\(name):\(port)\(path)"
        case .unix(let path):
            return "unix://\(path)" + (database == 0 ? "" : "?db=\(database)")
        }
    }
}
