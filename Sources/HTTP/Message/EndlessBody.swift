import Networking

/// A body that is written little by little, for as long as its connection lasts. The connection ends with it. On the connection's loop only.
package protocol EndlessBody: AnyObject, Sendable {
    /// The head of the answer is on its way: from now on it may be written.
    func begin(_ writer: BodyWriter)
    /// The connection is over.
    func end()
}

/// How an endless body is written.
package struct BodyWriter: Sendable {
    private let stream: Stream
    private let queue: @Sendable ([UInt8]) -> Void

    /// - Parameter queue: queues bytes on the stream.
    init(_ stream: Stream, _ queue: @escaping @Sendable ([UInt8]) -> Void) {
        self.stream = stream
        self.queue = queue
    }

    /// Queues bytes; they leave with those of the turn.
    package func write(_ bytes: [UInt8]) {
        queue(bytes)
    }

    /// How many bytes the client has yet to take.
    package var unsentCount: Int { stream.unsentCount }

    /// Waits until no bytes are left to be taken.
    /// - Returns: false when the connection is over.
    package func drained() async -> Bool {
        do throws(StreamError) {
            try await stream.drained(below: 0)
            return true
        } catch {
            return false
        }
    }

    /// Ends the connection, and throws away what the client has not taken.
    package func abort() {
        stream.abort()
    }
}
