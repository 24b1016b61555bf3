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
            _ = try await onceFree(pinned.loop) { try TestSocket(listeningOn: port) }
        }
    }

    @Test func `the first listener of a process refuses an address on which another one listens, whoever's it is`() async throws {
        try await onLoop { pinned in
            let loop = pinned.loop
            let budget = ConnectionBudget(wanted: 1)
            let port = try freePort()
            let standing = try Listener(.ip(.v4(0x7F00_0001), port: port), loop: loop, budget: budget, sharing: .first) {
                $0.close()
            }
            for address in [standing.address, .ip(.v4(0), port: port)] {
                #expect(throws: SystemError("bind to \(address)", code: EADDRINUSE)) {
                    _ = try Listener(address, loop: loop, budget: budget, sharing: .first) { $0.close() }
                }
            }
            // Other loops of the same process share it.
            let sibling = try Listener(standing.address, loop: loop, budget: budget) { $0.close() }
            #expect(sibling.address == standing.address)
            standing.close()
            sibling.close()
            let next = try await onceFree(loop) {
                try Listener(standing.address, loop: loop, budget: budget, sharing: .first) { $0.close() }
            }
            next.close()
        }
    }

    @Test func `an address is free again although connections of a process that has ended linger there`() async throws {
        try await onLoop { pinned in
            let accepting = try Accepting(pinned.loop, port: try freePort())
            let client = try accepting.connect()
            // The side that closes first keeps the connection for a while (TIME_WAIT).
            let streams = await accepting.accepted(1, on: pinned.loop)
            streams[0].close()
            #expect(try client.receiveAll().isEmpty)
            accepting.listener.close()
            let next = try await onceFree(pinned.loop) {
                try Listener(
                    accepting.listener.address, loop: pinned.loop, budget: ConnectionBudget(wanted: 1), sharing: .first
                ) { $0.close() }
            }
            next.close()
        }
    }

    @Test(arguments: [
        EAGAIN, EINTR, ECONNABORTED, EPERM, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
        ENETUNREACH, ETIMEDOUT,
    ])
    func `a failure to accept that is the connection's own is passed over`(_ code: Int32) {
        #expect(Socket.isPassing(code))
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, EBADF])
    func `a failure to accept for want of something has the listener rest`(_ code: Int32) {
        #expect(!Socket.isPassing(code))
    }

    @Test func `without descriptors a client is turned away, and one that comes later is served`() async throws {
        await #expect(processExitsWith: .success) {
            try await onLoop { pinned in
                let loop = pinned.loop
                let accepting = try Accepting(loop)
                await loop.haveDispatchOpenItsDescriptors()
                // The loop has not looked at them yet.
                let waiting = try (0..<3).map { _ in try accepting.connect() }
                // All that the loop may open from now on is in use.
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let usual = limit.rlim_cur
                let probe = open("/dev/null", O_RDONLY)
                close(probe)
                limit.rlim_cur = rlim_t(probe)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                // One after the other they are taken with the place of the spare descriptor and shut.
                while waiting.contains(where: { !$0.hasEnded }) { await loop.sleep(for: .milliseconds(5)) }
                limit.rlim_cur = usual
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let late = try accepting.connect()
                while accepting.streams.withLock({ $0.isEmpty }) { await loop.sleep(for: .milliseconds(5)) }
                precondition(accepting.budget.count <= 4)
                withExtendedLifetime(late) {}
            }
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
            // It does at once, but for a copy that a process has which another test is starting.
            while (try? accepting.connect()) != nil { await pinned.loop.sleep(for: .milliseconds(1)) }
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

    /// What `make` gives, once an address is free of which a listener was just closed. It is at once, but for a copy of the descriptor
    /// that a process has which another test is starting.
    private func onceFree<Value>(_ loop: EventLoop, _ make: () throws -> Value) async throws -> Value {
        while true {
            do {
                return try make()
            } catch {
                guard (error as? SystemError)?.code == EADDRINUSE || (error as? TestSocket.Failure)?.code == EADDRINUSE else {
                    throw error
                }
                await loop.sleep(for: .milliseconds(1))
            }
        }
    }
}
