/// Tells whoever sends mail that there is some, from any loop and without waiting.
package final class MailSignal: Sendable {
    /// Rings while nobody listens are one. To be listened to once.
    let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func ring() {
        continuation.yield()
    }

    /// After this nobody hears it any more.
    func remove() {
        continuation.finish()
    }
}
