import Dispatch
import Glibc
import TestSupport
import Testing

@testable import Networking

@Suite("BlockingPool", .timeLimit(.minutes(5)))
struct BlockingPoolTests {
    @Test func `work runs on the pool's own thread, and the caller goes on on its loop`() async throws {
        let pool = BlockingPool(label: "test", threads: 1, queueLimit: 10)
        defer { pool.stop() }
        try await onLoop { pinned in
            let loop = pinned.loop
            let onPool = try await pool.run { !loop.isCurrent }
            #expect(onPool)
            #expect(loop.isCurrent)
        }
    }

    @Test func `a full queue refuses at once, and goes on when there is room`() async throws {
        let pool = BlockingPool(label: "test", threads: 1, queueLimit: 2)
        defer { pool.stop() }
        let gate = DispatchSemaphore(value: 0)
        let started = DispatchSemaphore(value: 0)
        let results = Locked<[Bool]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try? await pool.run {
                    started.signal()
                    gate.wait()
                }
            }
            await Task.detached { started.waitUntilSignalled() }.value
            for _ in 0..<5 {
                group.addTask {
                    let ran = (try? await pool.run { true }) ?? false
                    results.withLock { $0.append(ran) }
                }
            }
            while results.withLock({ $0.count }) < 3 { await Task.yield() }
            #expect(results.withLock { $0 } == [false, false, false])
            #expect(pool.waitingCount == 2)
            gate.signal()
        }
        #expect(results.withLock { $0.filter { $0 }.count } == 2)
        #expect(try await pool.run { 42 } == 42)
    }

    @Test func `a job is let go of when it has run`() async throws {
        let pool = BlockingPool(label: "test", threads: 1, queueLimit: 100)
        defer { pool.stop() }
        let left = Locked(0)
        for _ in 0..<10 {
            let witness = Witness { left.withLock { $0 += 1 } }
            _ = try await pool.run { withExtendedLifetime(witness) { true } }
        }
        while left.value < 10 { await Task.yield() }
    }

    @Test func `jobs run in the order they came`() async throws {
        let pool = BlockingPool(label: "test", threads: 1, queueLimit: 1000)
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Locked(false)
        let order = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = try? await pool.run {
                    isHeld.withLock { $0 = true }
                    gate.wait()
                }
            }
            while !isHeld.value { await Task.yield() }
            for number in 0..<100 {
                while pool.waitingCount < number { await Task.yield() }
                group.addTask { _ = try? await pool.run { order.withLock { $0.append(number) } } }
            }
            while pool.waitingCount < 100 { await Task.yield() }
            // What waits is still done.
            pool.stop()
            gate.signal()
        }
        #expect(order.value == Array(0..<100))
    }

    @Test func `the threads of a pool give way as it says, and no others do`() async throws {
        let ours = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
        for (niceness, expected) in [(0, ours), (19, 19)] as [(Int32, Int32)] {
            let pool = BlockingPool(label: "test", threads: 1, queueLimit: 10, niceness: niceness)
            defer { pool.stop() }
            let own = try await pool.run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
            #expect(own == expected)
        }
        #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())) == ours)
    }

    @Test func `a pool that has been idle for a second says so once`() async throws {
        let idle = Locked(0)
        let pool = BlockingPool(label: "test", threads: 1, queueLimit: 10, onIdle: { idle.withLock { $0 += 1 } })
        defer { pool.stop() }
        for round in 1...2 {
            _ = try await pool.run { true }
            while idle.value < round { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(idle.value == 2)
    }

    @Test func `a thread is started when there is work that no other can do`() async throws {
        let label = "lazy\(UInt16.random(in: 0 ... .max))"
        let pool = BlockingPool(label: label, threads: 3, queueLimit: 10)
        defer { pool.stop() }
        #expect(Self.threads(label) == 0)
        for _ in 0..<3 {
            _ = try await pool.run { true }
            #expect(Self.threads(label) <= 2, "the first may not have come back for more")
        }
        let (gate, started) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    _ = try? await pool.run {
                        started.signal()
                        gate.wait()
                    }
                }
            }
            for _ in 0..<3 { await Task.detached { started.waitUntilSignalled() }.value }
            #expect(Self.threads(label) == 3)
            for _ in 0..<5 { gate.signal() }
        }
        #expect(Self.threads(label) == 3)
    }

    /// How many threads of this process have a name.
    private static func threads(_ name: String) -> Int {
        guard let directory = opendir("/proc/self/task") else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            let id = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let file = fopen("/proc/self/task/\(id)/comm", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, 32, file) != nil else { continue }
            if line.prefix(while: { $0 != 0 }).map({ UInt8(bitPattern: $0) }) == Array("\(name)\n".utf8) { count += 1 }
        }
        return count
    }

    @Test func `a pool that has stopped refuses`() async {
        let pool = BlockingPool(label: "test", threads: 2, queueLimit: 2)
        pool.stop()
        await #expect(throws: BlockingPool.Overloaded.self) { try await pool.run { 1 } }
    }
}

/// Tells when it is gone.
private final class Witness: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }
}

extension DispatchSemaphore {
    /// `wait` under a name that may be called from an asynchronous context's own thread.
    fileprivate func waitUntilSignalled() {
        wait()
    }
}
