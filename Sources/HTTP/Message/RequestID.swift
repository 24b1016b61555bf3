import Text

/// The `X-Request-Id` that a caller may choose.
package enum RequestID {
    /// Longest identifier taken over from a request.
    private static let maximumLength = 128

    /// The caller's identifier if there is exactly one and it has 1 to 128 letters, digits, `-`, `.` or `_`; anything else could
    /// confuse a log or its reader, and the server then makes its own.
    package static func wellFormed(in head: RequestHead) -> String? {
        guard let range = head.fields.value(of: .requestID), !head.isRepeated(.requestID) else {
            return nil
        }
        let span = head.bytes.span
        guard (1...maximumLength).contains(range.count), span.allSatisfy(.hostName, in: range) else {
            return nil
        }
        return span.text(in: range)
    }
}

/// Makes the ids of requests that bring none: a random prefix for the loop and a running number, unique and cheap.
struct RequestIDSource {
    private static let length = 33

    private let prefix: UInt64
    private var count: UInt64 = 0

    /// - Parameter random: drawn once at the start of the loop, so that ids of different copies do not meet.
    init(random: UInt64) {
        prefix = random
    }

    /// 16 hexadecimal digits of the prefix and 16 of the number.
    mutating func next() -> String {
        count &+= 1
        return unsafe String(unsafeUninitializedCapacity: Self.length) { output in
            let output = UnsafeMutableRawBufferPointer(output)
            unsafe Self.write(prefix, to: output, at: 0)
            unsafe output[16] = .ascii("-")
            unsafe Self.write(count, to: output, at: 17)
            return Self.length
        }
    }

    /// The id of a span, which is never zero and tells nothing: the running number, mixed with the prefix (SplitMix64).
    mutating func nextSpan() -> UInt64 {
        count &+= 1
        var number = prefix &+ count &* 0x9e37_79b9_7f4a_7c15
        number = (number ^ number &>> 30) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ number &>> 27) &* 0x94d0_49bb_1331_11eb
        number ^= number &>> 31
        return number == 0 ? 1 : number
    }

    private static func write(_ number: UInt64, to output: UnsafeMutableRawBufferPointer, at start: Int) {
        let (high, low) = (UInt32(truncatingIfNeeded: number &>> 32), UInt32(truncatingIfNeeded: number))
        unsafe output.storeBytes(of: Hex.digits(of: high).bigEndian, toByteOffset: start, as: UInt64.self)
        unsafe output.storeBytes(of: Hex.digits(of: low).bigEndian, toByteOffset: start + 8, as: UInt64.self)
    }
}
