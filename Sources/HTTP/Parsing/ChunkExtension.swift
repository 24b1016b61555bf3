/// Recognises the extensions after a chunk size, from behind the first `;` (RFC 9112 §7.1.1): `name [= token | "quoted"]`,
/// more of them after another `;`. Nothing is kept; white space, which the RFC calls bad, is refused.
struct ChunkExtension: Sendable {
    private enum State {
        case nameStart
        case name
        case valueStart
        case token
        case quoted
        case escaped
        case afterQuoted
    }

    private var state = State.nameStart
    /// Bytes seen, the first `;` included.
    private(set) var count = 1

    /// Whether the line may end here.
    var isComplete: Bool {
        switch state {
        case .name, .token, .afterQuoted: true
        case .nameStart, .valueStart, .quoted, .escaped: false
        }
    }

    mutating func append(_ byte: UInt8) throws(HTTPParseError) {
        guard let next = state(after: byte) else {
            throw .malformedChunkExtension
        }
        state = next
        count += 1
    }

    private func state(after byte: UInt8) -> State? {
        let isToken = ByteClass.token.contains(byte)
        let startsNext = byte == .ascii(";")
        switch state {
        case .nameStart: return isToken ? .name : nil
        case .name:
            if byte == .ascii("=") {
                return .valueStart
            }
            return isToken ? .name : startsNext ? .nameStart : nil
        case .valueStart:
            if byte == .ascii("\"") {
                return .quoted
            }
            return isToken ? .token : nil
        case .token: return isToken ? .token : startsNext ? .nameStart : nil
        case .quoted:
            switch byte {
            case .ascii("\""): return .afterQuoted
            case .ascii("\\"): return .escaped
            default: return byte.isText ? .quoted : nil
            }
        case .escaped: return byte.isText ? .quoted : nil
        case .afterQuoted: return startsNext ? .nameStart : nil
        }
    }
}
