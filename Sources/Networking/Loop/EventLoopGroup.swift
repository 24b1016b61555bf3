import Glibc

/// The loops of a process.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]

    /// - Parameter count: how many loops, at least 1.
    /// - Throws: `SystemError` when a loop cannot be made.
    package init(count: Int = EventLoopGroup.usualCount) throws(SystemError) {
        var loops: [EventLoop] = []
        for index in 0..<max(1, count) {
            loops.append(try EventLoop(index: index))
        }
        self.loops = loops
    }

    /// One for every two processors: a loop that has more to do at once does it for less, and the other processors hash passwords
    /// and run what is beside the server (decision 12).
    package static var usualCount: Int {
        max(1, processors / 2)
    }

    /// How many processors this process may run on.
    package static var processors: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    package func stop() {
        for loop in loops { loop.stop() }
    }
}
