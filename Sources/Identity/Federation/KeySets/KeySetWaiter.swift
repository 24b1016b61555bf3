import Networking

/// Somebody who waits for a fetch, until it ends or his time is over. Confined to the keeper's loop.
final class KeySetWaiter: @unchecked Sendable {  // every member is touched on the keeper's loop only
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Void, Never>?
    private var timer: LoopTimer?

    init(_ continuation: UnsafeContinuation<Void, Never>, until deadline: Instant, loop: EventLoop) {
        self.loop = loop
        self.continuation = continuation
        timer = loop.schedule(at: deadline) { self.end() }
    }

    /// Whether somebody still waits.
    var isWaiting: Bool { continuation != nil }

    /// Lets him go on; a second time does nothing.
    func end() {
        if let timer { loop.cancel(timer) }
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
