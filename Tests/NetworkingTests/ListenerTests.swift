import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("Listener and ConnectionBudget", .timeLimit(.minutes(5)))
struct ListenerTests {
    @Test func `a listener that is let go of before it has started gives its port back`() async throws {
        try await onLoop { pinned in
            let port = try freePort()
            let address = SocketAddress.ip(.v4(0x7F00_0001), port: port)
            for _ in 0..<3 {
                _ = try Listener(address, loop: pinned.loop, budget: ConnectionBudget(wanted: 1)) { $0.close() }
            }
            _ = try TestSocket(listeningOn: port)
        }
    }

    @Test func `an address that is not this machine's cannot be had`() async throws {
        try await onLoop { pinned in
            let address = SocketAddress.ip(.v4(0xC000_0201), port: 0)
            #expect(throws: SystemError("bind to 192.0.2.1:0", code: EADDRNOTAVAIL)) {
                _ = try Listener(address, loop: pinned.loop, budget: ConnectionBudget(wanted: 1)) { $0.close() }
            }
        }
    }

    @Test func `a listener that is closed refuses, and may be closed again`() async throws {
        try await onLoop { pinned in
            // No other test gets this one.
            let accepting = try Accepting(pinned.loop, port: try freePort())
            accepting.listener.close()
            accepting.listener.close()
            #expect(throws: TestSocket.Failure.self) { _ = try accepting.connect() }
        }
    }

    @Test func `a budget gives as many places as it has`() {
        let budget = ConnectionBudget(wanted: 3)
        #expect((0..<5).map { _ in budget.take() } == [true, true, true, false, false])
        #expect(budget.count == 3)
        budget.release()
        #expect(budget.take())
        #expect(!budget.take())
    }

    @Test func `a budget stays below the descriptors that the process may have`() {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        let available = Int(clamping: descriptors.rlim_cur)
        #expect(ConnectionBudget(wanted: .max).limit == available - 64)
        #expect(ConnectionBudget(wanted: .max, otherDescriptors: 100).limit == available - 100)
        #expect(ConnectionBudget(wanted: .max, otherDescriptors: available).limit == 1)
        #expect(ConnectionBudget(wanted: 0).limit == 1)
    }

    @Test func `many threads take no more places than there are`() async {
        let budget = ConnectionBudget(wanted: 100)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (0..<10).count { _ in budget.take() } } }
            return await group.reduce(0, +)
        }
        #expect(taken <= 100)
        #expect(budget.count == taken)
    }
}
