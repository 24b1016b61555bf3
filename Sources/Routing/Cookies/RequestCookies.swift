package import HTTP
package import Text

/// The cookies of a request (RFC 6265 §4.2.1): what stands under a name, in the order in which it came.
///
/// A name is compared byte by byte, and a value is taken as it is: quotes stay, nothing is decoded. What is no pair is passed over.
package enum RequestCookies {
    /// All values of a cookie: a client that knows it for several paths or domains sends it several times, the most specific path
    /// first.
    package static func values(named name: String, in head: RequestHead) -> [SecretString] {
        head.values(of: .cookie).flatMap { field in
            field.utf8.split(separator: .ascii(";")).compactMap { value(of: Array(name.utf8), in: $0) }
        }
    }

    private static func value(of name: [UInt8], in pair: Substring.UTF8View) -> SecretString? {
        let start = pair.drop { isWhitespace($0) }
        guard start.starts(with: name) else { return nil }
        let rest = start.dropFirst(name.count)
        guard rest.first == .ascii("=") else { return nil }
        var value = rest.dropFirst()
        while let last = value.last, isWhitespace(last) { value.removeLast() }
        return SecretString(String(Substring(value)))
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == .space || byte == .ascii("\t")
    }
}
