import CRedis

/// One command: its name and arguments, binary-safe, laid out one after the other.
package struct RedisCommand: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    package init(_ name: StaticString) {
        bytes.reserveCapacity(128)
        ends.reserveCapacity(8)
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        ends.append(bytes.count)
    }

    package init(_ name: StaticString, _ arguments: String...) {
        self.init(name)
        for argument in arguments { append(argument) }
    }

    package mutating func append(_ argument: String) {
        bytes.append(contentsOf: argument.utf8)
        ends.append(bytes.count)
    }

    package mutating func append(_ argument: [UInt8]) {
        bytes.append(contentsOf: argument)
        ends.append(bytes.count)
    }

    package mutating func append(_ argument: Int64) {
        append(String(argument))
    }

    /// Appends the command in RESP, as `redisFormatCommandArgv` writes it.
    /// - Returns: false when hiredis has no memory for it.
    func encode(into output: inout [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: ends.count) { arguments in
                unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: ends.count) { lengths in
                    var start = 0
                    for (index, end) in ends.enumerated() {
                        unsafe arguments[index] = unsafe UnsafeRawPointer(bytes.baseAddress)?
                            .advanced(by: start).assumingMemoryBound(to: CChar.self)
                        unsafe lengths[index] = end - start
                        start = end
                    }
                    return unsafe Self.format(arguments, lengths, into: &output)
                }
            }
        }
    }

    private static func format(
        _ arguments: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>, _ lengths: UnsafeMutableBufferPointer<Int>,
        into output: inout [UInt8]
    ) -> Bool {
        var target: UnsafeMutablePointer<CChar>?
        let count = unsafe redisFormatCommandArgv(
            &target, Int32(arguments.count), arguments.baseAddress, lengths.baseAddress)
        guard count > 0, let target = unsafe target else { return false }
        unsafe output.append(contentsOf: UnsafeRawBufferPointer(start: target, count: Int(count)))
        unsafe redisFreeCommand(target)
        return true
    }
}

/// What is asked of a server to learn its role.
extension RedisCommand {
    /// Writes nothing, and is refused like any write by a server that takes none: with `READONLY` by a replica, with `NOREPLICAS` by a
    /// primary that lacks replicas. `ROLE` would need a right that Kidoban needs for nothing else.
    static var roleQuestion: RedisCommand { RedisCommand("DEL", "limit:none") }

    /// The same, and refused as well by a server that is full (`OOM`) or cannot write its file (`MISCONF`): a key that is gone at once.
    static var writeQuestion: RedisCommand { RedisCommand("SET", "limit:none", "", "PX", "1") }
}

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

extension RedisCommand {
    /// Runs the script with this digest, which the server holds.
    init(evaluating digest: String, _ keys: [String], _ arguments: [[UInt8]]) {
        self.init("EVALSHA", digest, String(keys.count))
        for key in keys { append(key) }
        for argument in arguments { append(argument) }
    }
}

/// A Lua script, run with `EVALSHA` once Redis knows it.
package struct RedisScript: Sendable {
    /// Unique among the scripts of the process.
    package let name: String
    package let source: String

    /// - Parameter whenFull: whether it runs also when Redis has no memory left, which refuses all that writes otherwise: for what ends things,
    ///   or leaves no more than was there.
    package init(name: String, source: String, whenFull: Bool = false) {
        self.name = name
        self.source = whenFull ? "#!lua flags=allow-oom\n" + source : source
    }
}
