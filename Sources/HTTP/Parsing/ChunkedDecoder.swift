/// The chunked transfer coding (RFC 9112 §7.1), byte for byte as the grammar has it: no white space, no bare LF.
///
/// Chunk extensions and trailers are checked, counted and thrown away.
struct ChunkedDecoder: Sendable {
    private enum State {
        case size(digits: Int)
        case `extension`(ChunkExtension)
        case sizeLineFeed
        case data(remaining: Int)
        case dataCarriageReturn
        case dataLineFeed
        case trailers
        case done
        case refused(HTTPParseError)
    }

    private var state = State.size(digits: 0)
    private var size: UInt64 = 0
    /// Bytes the body may still grow by.
    private var allowance: Int
    private let maximumExtension: Int
    private var extensionAllowance: Int
    private var trailers: TrailerSection

    init(limits: Limits) {
        allowance = limits.body
        maximumExtension = limits.chunkExtension
        extensionAllowance = limits.chunkExtensionTotal
        trailers = TrailerSection(limits: limits)
    }

    mutating func decode(_ input: Span<UInt8>, into body: inout [UInt8]) throws(HTTPParseError) -> BodyProgress {
        do {
            return try advance(input, into: &body)
        } catch {
            state = .refused(error)
            throw error
        }
    }

    private mutating func advance(_ input: Span<UInt8>, into body: inout [UInt8]) throws(HTTPParseError) -> BodyProgress {
        var index = 0
        while index < input.count {
            switch state {
            case .data(let remaining):
                let taken = min(remaining, input.count &- index)
                // What this chunk still has, and all chunks that may follow.
                BodyDecoder.makeRoom(for: taken, of: remaining &+ allowance, in: &body)
                body.append(input.extracting(index..<index &+ taken))
                index &+= taken
                state = taken == remaining ? .dataCarriageReturn : .data(remaining: remaining &- taken)
            case .done:
                return .complete(consumed: index)
            case .refused(let error):
                throw error
            case .size, .extension, .sizeLineFeed, .dataCarriageReturn, .dataLineFeed, .trailers:
                state = try next(after: input[index])
                index &+= 1
            }
        }
        if case .done = state {
            return .complete(consumed: index)
        }
        return .incomplete
    }

    /// The state after one byte of framing.
    private mutating func next(after byte: UInt8) throws(HTTPParseError) -> State {
        switch state {
        case .size(let digits): return try nextInSize(byte, digits: digits)
        case .extension(var text):
            guard byte != .carriageReturn || !text.isComplete else {
                return .sizeLineFeed
            }
            try text.append(byte)
            extensionAllowance -= 1
            guard text.count <= maximumExtension, extensionAllowance >= 0 else {
                throw .chunkExtensionTooLong
            }
            return .extension(text)
        case .sizeLineFeed:
            guard byte == .lineFeed else {
                throw .malformedLineEnding
            }
            return try beginChunk()
        case .dataCarriageReturn:
            guard byte == .carriageReturn else {
                throw .malformedChunkEnd
            }
            return .dataLineFeed
        case .dataLineFeed:
            guard byte == .lineFeed else {
                throw .malformedChunkEnd
            }
            return .size(digits: 0)
        case .trailers: return try trailers.append(byte) ? .done : .trailers
        case .data, .done, .refused: return state
        }
    }

    /// One to sixteen hexadecimal digits, so that the size always fits its integer.
    private mutating func nextInSize(_ byte: UInt8, digits: Int) throws(HTTPParseError) -> State {
        if let value = byte.hexValue {
            guard digits < 16 else {
                throw .malformedChunkSize
            }
            size = (digits == 0 ? 0 : size) << 4 | UInt64(value)
            return .size(digits: digits + 1)
        }
        guard digits > 0 else {
            throw .malformedChunkSize
        }
        switch byte {
        case .carriageReturn: return .sizeLineFeed
        case .ascii(";"):
            extensionAllowance -= 1
            return .extension(ChunkExtension())
        default: throw .malformedChunkSize
        }
    }

    private mutating func beginChunk() throws(HTTPParseError) -> State {
        guard size > 0 else {
            return .trailers
        }
        guard size <= UInt64(allowance) else {
            throw .bodyTooLarge
        }
        allowance -= Int(size)
        return .data(remaining: Int(size))
    }
}
