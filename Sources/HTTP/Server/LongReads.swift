import Networking

/// Lets those who send much go on a few at a time. A loop that read at once all that thousands have sent would keep others waiting
/// meanwhile, for a body is read as fast as it comes.
@safe
final class LongReads: @unchecked Sendable {  // touched on its loop only
    /// So many go on before sockets and timers are looked at again.
    static let perTurn = 4

    private let loop: EventLoop
    /// In their order, from `next` on.
    private var waiting: ContiguousArray<UnsafeContinuation<Void, Never>> = unsafe []
    private var next = 0

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Suspends until it is the caller's turn to read on.
    func turn() async {
        unsafe await withUnsafeContinuation { continuation in
            unsafe waiting.append(continuation)
            if unsafe waiting.count == 1 { schedule() }
        }
    }

    private func schedule() {
        loop.schedule(after: .zero) { self.resumeSome() }
    }

    private func resumeSome() {
        let end = unsafe min(next + Self.perTurn, waiting.count)
        while next < end {
            unsafe waiting[next].resume()
            next += 1
        }
        guard unsafe next < waiting.count else {
            unsafe waiting.removeAll(keepingCapacity: waiting.count < 64)
            next = 0
            return
        }
        schedule()
    }
}
