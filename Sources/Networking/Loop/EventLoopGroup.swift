import Glibc

/// The loops of a process, one a core by default.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]

    /// - Parameter count: how many loops, at least 1; the number of processors this process may use by default.
    /// - Throws: `SystemError` when a loop cannot be made.
    package init(count: Int = EventLoopGroup.processors) throws(SystemError) {
        var loops: [EventLoop] = []
        for index in 0..<max(1, count) {
            loops.append(try EventLoop(index: index))
        }
        self.loops = loops
    }

    /// How many processors this process may run on.
    package static var processors: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    package func stop() {
        for loop in loops { loop.stop() }
    }
}
