import Networking

/// Version 2, §2.2: a signature, four bytes, the addresses in binary form and then type-length-values, which are skipped. One of them
/// may be a checksum (`PP2_TYPE_CRC32C`): it is not checked, TCP has one of its own.
extension ProxyHeader {
    private static let signature: [12 of UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    private static let fixedLength = 16
    /// Bytes behind the fixed part: addresses have 216 at most, and certificates and the like are short here.
    private static let maximumRest = 4096

    static func parseBinary(_ input: Span<UInt8>) throws(Malformed) -> ParseProgress<ProxyHeader> {
        for index in 0..<min(input.count, 12) where input[index] != signature[index] { throw Malformed() }
        if input.count > 12 {
            guard input[12] == 0x20 || input[12] == 0x21 else { throw Malformed() }
        }
        guard input.count >= fixedLength else { return .incomplete }
        let length = Int(input[14]) << 8 | Int(input[15])
        guard length <= maximumRest else { throw Malformed() }
        guard input.count >= fixedLength + length else { return .incomplete }
        let rest = input.extracting(fixedLength..<fixedLength + length)
        // LOCAL: whatever the rest says.
        let header = input[12] == 0x20 ? .ownConnection : try source(rest, family: input[13])
        return .complete(header, consumed: fixedLength + length)
    }

    private static func source(_ rest: Span<UInt8>, family: UInt8) throws(Malformed) -> ProxyHeader {
        switch family {
        case 0x11:
            guard rest.count >= 12 else { throw Malformed() }
            return .source(.v4(UInt32(truncatingIfNeeded: number(rest, at: 0, length: 4))))
        case 0x21:
            guard rest.count >= 36 else { throw Malformed() }
            return .source(IPAddress(upper: number(rest, at: 0, length: 8), lower: number(rest, at: 8, length: 8)))
        case 0x00, 0x31, 0x32:
            // Unspecified, or a socket of the proxy's machine.
            return .ownConnection
        default:
            throw Malformed()
        }
    }

    private static func number(_ bytes: Span<UInt8>, at offset: Int, length: Int) -> UInt64 {
        (0..<length).reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }
}
