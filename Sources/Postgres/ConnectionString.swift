import CPostgres
import Text

/// What libpq needs to find the server and to be let in. It holds a password, so it never prints.
package struct ConnectionString: Sendable, Redacted {
    /// The text itself, for libpq only.
    let revealedText: String
    /// Where it leads, for logs: `host:port/database`, as far as the string says.
    package let target: String
    /// Whether it asks for a connection attempt without an end.
    let waitsForever: Bool

    /// - Throws: `PostgresError.invalidConnectionString`, without libpq's own words, which quote the string.
    init(_ text: String) throws(PostgresError) {
        // libpq would stop at a NUL and connect somewhere else.
        guard !text.utf8.contains(0) else { throw .invalidConnectionString }
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(text, &message)
        defer {
            unsafe PQconninfoFree(options)
            unsafe PQfreemem(message)
        }
        guard let options = unsafe options else { throw .invalidConnectionString }
        revealedText = text
        let found = unsafe Self.values(of: options)
        target = Self.target(of: found)
        waitsForever = found["connect_timeout"].map { Int($0) ?? 0 < 1 } ?? false
    }

    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var found: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe found[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return found
    }

    private static func target(of found: [String: String]) -> String {
        let host = found["host"] ?? found["hostaddr"] ?? "local"
        let port = found["port"].map { ":\($0)" } ?? ""
        return host + port + "/" + (found["dbname"] ?? "")
    }
}
