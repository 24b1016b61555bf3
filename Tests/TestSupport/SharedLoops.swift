package import Networking

/// The loops that tests run on: a few, shared and never stopped, as in a server.
package enum SharedLoops {
    private static let loops = Result { try EventLoopGroup(count: 4).loops }
    private static let given = Locked(0)

    package static func next() throws -> EventLoop {
        let loops = try loops.get()
        return loops[
            given.withLock { given in
                given += 1
                return given
            } % loops.count]
    }
}
