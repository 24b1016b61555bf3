import TestSupport

@testable import Networking

/// The loops that tests run on. They are never stopped, as in a server: libdispatch loses sources (swift-corelibs-libdispatch
/// issue 949) when hundreds of them come and go at once.
enum SharedLoops {
    private static let loops = Result { try EventLoopGroup(count: 4).loops }
    private static let given = Locked(0)

    static func next() throws -> EventLoop {
        let loops = try loops.get()
        return loops[
            given.withLock { given in
                given += 1
                return given
            } % loops.count]
    }
}
