/// Takes a request body off the bytes of a connection, whichever way it is framed.
///
/// A pure value that needs no byte twice: give it each stretch of input once, and drop what it consumed.
package struct BodyDecoder: Sendable {
    private enum State {
        case length(remaining: Int)
        case chunked(ChunkedDecoder)
    }

    private var state: State

    /// Refuses a declared length over the limit before a byte of the body is read.
    package init(framing: BodyFraming, limits: Limits) throws(HTTPParseError) {
        switch framing {
        case .none: state = .length(remaining: 0)
        case .length(let length):
            guard length <= limits.body else {
                throw .bodyTooLarge
            }
            state = .length(remaining: length)
        case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
        }
    }

    /// Grows by doubling, as an array does by itself, but never beyond what may come.
    static func makeRoom(for taken: Int, of remaining: Int, in body: inout [UInt8]) {
        let needed = body.count + taken
        guard needed > body.capacity else { return }
        body.reserveCapacity(min(body.count + remaining, max(needed, 2 * body.capacity)))
    }

    /// Appends what the input holds of the body.
    package mutating func decode(
        _ input: Span<UInt8>, into body: inout [UInt8]
    ) throws(HTTPParseError) -> BodyProgress {
        switch state {
        case .length(let remaining):
            let taken = min(remaining, input.count)
            Self.makeRoom(for: taken, of: remaining, in: &body)
            body.append(input.extracting(first: taken))
            state = .length(remaining: remaining - taken)
            return taken == remaining ? .complete(consumed: taken) : .incomplete
        case .chunked(var decoder):
            // Gives up the stored copy while the decoder changes its line buffer.
            state = .length(remaining: 0)
            defer { state = .chunked(decoder) }
            return try decoder.decode(input, into: &body)
        }
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// How far a body got with the bytes it was given.
package enum BodyProgress: Equatable, Sendable {
    /// The body is whole; what follows the consumed bytes belongs to the next request.
    case complete(consumed: Int)
    /// All bytes were taken and more are needed.
    case incomplete
}
