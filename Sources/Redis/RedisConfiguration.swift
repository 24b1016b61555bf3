import Networking
import Text

/// How to reach Redis, and how long to wait for it.
package struct RedisConfiguration: Sendable {
    package enum Endpoint: Equatable, Sendable {
        case host(String, port: UInt16)
        case unix(path: String)
    }

    package var endpoint: Endpoint
    package var username: String?
    package var password: String?
    package var database: Int
    /// TLS with a verified certificate (`rediss`).
    package var usesTLS: Bool
    /// A PEM file of certificate authorities to trust instead of the system's.
    package var authoritiesFile: String?
    package var connectTimeout: Duration = .seconds(2)
    package var commandDeadline: Duration = .seconds(2)
    /// Commands that may await an answer on one connection.
    package var inFlightLimit = 16_384
    /// The pause before a new attempt: doubles from the lower to the upper bound, half of it random.
    package var backOff: ClosedRange<Duration> = .milliseconds(20)...(.milliseconds(500))
    /// The pause between two questions whether the server is still the primary.
    package var roleInterval: Duration = .seconds(1)
    /// How old what has ended may be that is ended again at a new connection, because a failover may have undone it; zero for nothing.
    package var repeatWindow: Duration = .seconds(10)
    /// How many such ends a process keeps.
    package var repeatLimit = 10_000
    /// Whether a replica will do, for who only looks at what a server says of itself. It reads what may long be revoked.
    package var acceptsReplica = false

    package init(
        endpoint: Endpoint, username: String? = nil, password: String? = nil, database: Int = 0, usesTLS: Bool = false
    ) {
        self.endpoint = endpoint
        self.username = username
        self.password = password
        self.database = database
        self.usesTLS = usesTLS
    }

    /// Reads `redis://[user[:password]@]host[:port][/database]`, `rediss://…` (TLS) or `unix:///path[?db=N]`.
    package init?(url: String) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
        let scheme = url[..<colon]
        let rest = url[colon...].dropFirst(3)
        switch scheme {
        case "redis", "rediss":
            self.init(authorityAndPath: rest, usesTLS: scheme == "rediss")
        case "unix", "redis+unix":
            let parts = rest.split(separator: "?", maxSplits: 1)
            guard let path = parts.first, path.first == "/", path.utf8.count < 108 else { return nil }
            guard parts.count == 1 || parts[1].hasPrefix("db=") else { return nil }
            guard let database = parts.count == 1 ? 0 : Int(digits: parts[1].dropFirst(3)) else { return nil }
            self.init(endpoint: .unix(path: String(path)), database: database)
        default:
            return nil
        }
    }

    private init?(authorityAndPath text: Substring, usesTLS: Bool) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        var authority = text[..<slash]
        var credentials: (username: String?, password: String?) = (nil, nil)
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = PercentEncoding.decode(parts[0]) else { return nil }
            guard let password = parts.count == 2 ? PercentEncoding.decode(parts[1]) : "" else { return nil }
            credentials = (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
            authority = authority[authority.index(after: at)...]
        }
        let path = text[slash...].dropFirst()
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        guard let database = path.isEmpty ? 0 : Int(digits: path) else { return nil }
        self.init(
            endpoint: .host(host, port: port), username: credentials.username, password: credentials.password,
            database: database, usesTLS: usesTLS)
    }

    private static func hostAndPort(_ authority: Substring) -> (String, UInt16)? {
        var host = authority
        var port: UInt16 = 6379
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let number = Int(digits: authority[authority.index(after: colon)...]), (1...65535).contains(number)
            else { return nil }
            port = UInt16(number)
            host = authority[..<colon]
        }
        if host.first == "[", host.last == "]" {
            let address = String(host.dropFirst().dropLast())
            return address.contains(":") && IPAddress(address) != nil ? (address, port) : nil
        }
        guard host.utf8.allSatisfy(Self.isHostByte) else { return nil }
        return host.isEmpty ? ("localhost", port) : (String(host), port)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-._".contains(character))
    }
}

/// Printed without its credentials.
extension RedisConfiguration: UnprintedContent {
    package var description: String {
        switch endpoint {
        case .host(let host, let port):
            "\(usesTLS ? "rediss" : "redis")://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        case .unix(let path):
            "unix://\(path)?db=\(database)"
        }
    }
}
