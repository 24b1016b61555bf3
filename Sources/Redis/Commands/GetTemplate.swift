/// A `GET` for keys of one length, formatted once by hiredis. The key is all that differs between two of them, so it is put
/// into its place instead of formatting the whole again: the busiest command there is.
struct GetTemplate {
    let keyLength: Int
    private let head: [UInt8]

    /// Nil when hiredis has no memory for it.
    init?(keyLength: Int) {
        var formatted: [UInt8] = []
        guard RedisCommand("GET", String(repeating: "k", count: keyLength)).encode(into: &formatted) else { return nil }
        self.keyLength = keyLength
        // The key is the last argument: what follows it is the line end.
        head = Array(formatted.dropLast(keyLength + 2))
    }

    /// Appends the command. The key must have the length.
    func append(_ key: String, to output: inout [UInt8]) {
        output.append(contentsOf: head)
        output.append(contentsOf: key.utf8)
        output.append(UInt8(ascii: "\r"))
        output.append(UInt8(ascii: "\n"))
    }
}
