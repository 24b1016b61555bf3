import Glibc
import TestSupport
import Testing

@testable import Networking

/// An actor that lives on a loop and runs a test body there.
actor Pinned {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func run<T: Sendable>(_ body: @Sendable (isolated Pinned) async throws -> T) async rethrows -> T {
        try await body(self)
    }
}

/// Runs `body` on a loop.
func onLoop<T: Sendable>(_ body: @Sendable (isolated Pinned) async throws -> T) async throws -> T {
    try await Pinned(SharedLoops.next()).run(body)
}

/// A listener on a free port of the loopback address, whose connections are collected.
final class Accepting: Sendable {
    let streams = Locked<[Networking.Stream]>([])
    let budget: ConnectionBudget
    let listener: Listener

    /// - Parameter port: 0 for any that is free.
    init(_ loop: EventLoop, limit: Int = 10_000, port: UInt16 = 0) throws {
        budget = ConnectionBudget(wanted: limit)
        let box = Box()
        listener = try Listener(
            .ip(.v4(0x7F00_0001), port: port), loop: loop, budget: budget, onAccept: { stream in box.onAccept?(stream) })
        box.onAccept = { [unowned self] stream in streams.withLock { $0.append(stream) } }
        try listener.start()
    }

    /// Suspends until `count` connections have been accepted.
    func accepted(_ count: Int, on loop: EventLoop) async -> [Networking.Stream] {
        while true {
            let streams = streams.withLock { $0 }
            if streams.count >= count { return streams }
            await loop.sleep(for: .milliseconds(1))
        }
    }

    /// Set once, before the listener starts.
    private final class Box: @unchecked Sendable {
        var onAccept: (@Sendable (Networking.Stream) -> Void)?
    }
}

extension EventLoop {
    /// Sooner than a test ends, and later than any machine needs.
    func soon() -> Instant { now + .seconds(120) }

    /// Dispatch opens a descriptor at its first timer, and ends a process that has none left.
    func haveDispatchOpenItsDescriptors() async {
        await sleep(for: .milliseconds(20))
    }
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// Like `#expect`, which cannot look into values that cannot be copied.
func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
