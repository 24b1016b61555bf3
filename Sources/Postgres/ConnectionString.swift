import CPostgres

/// What libpq needs to find the server and to be let in. It holds a password, so it never prints.
package struct ConnectionString: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for libpq only.
    let revealedText: String
    /// Where it leads, for logs: `host:port/database`, as far as the string says.
    package let target: String

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
        target = unsafe Self.target(of: options)
    }

    package var description: String { "‹redacted›" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func target(of options: UnsafeMutablePointer<PQconninfoOption>) -> String {
        var found: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe found[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        let host = found["host"] ?? found["hostaddr"] ?? "local"
        let port = found["port"].map { ":\($0)" } ?? ""
        return host + port + "/" + (found["dbname"] ?? "")
    }
}
