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
