import Networking
import Synchronization

/// A write that may be repeated.
package struct LastingWrite: Sendable {
    let command: RedisCommand
    /// What is sent when it is repeated, given the answer to the first.
    let repetition: @Sendable (RedisReply) -> RedisCommand

    /// - Parameter repetition: nil for the same once more.
    package init(_ command: RedisCommand, repetition: (@Sendable (RedisReply) -> RedisCommand)? = nil) {
        self.command = command
        self.repetition = repetition ?? { _ in command }
    }
}

/// The writes of the last seconds that a failover must not undo: what has ended, on all loops of this process.
///
/// Redis answers before its replicas have a write. Who is promoted then lacks the last of them, so each new connection repeats these
/// before it serves. They may be carried out any number of times.
///
/// Behind a mutex, because each loop's connection repeats what all loops have ended. Nothing that merely asks touches it.
package final class RecentWrites: Sendable {
    /// A write, and the script that it needs.
    struct Write: Sendable {
        let command: RedisCommand
        let script: RedisScript?
        fileprivate var time: Instant
    }

    private struct State {
        var writes: ContiguousArray<Write> = []
        /// Where the oldest is.
        var head = 0

        mutating func drop(_ count: Int) {
            head += count
            guard head >= 64, head * 2 >= writes.count else { return }
            writes.removeFirst(head)
            head = 0
        }
    }

    private let window: UInt64
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - window: how old a write may become; zero to keep none.
    ///   - limit: how many are kept; beyond it the oldest goes.
    package init(window: Duration, limit: Int) {
        self.window = window.wholeNanoseconds
        self.limit = limit
    }

    /// Keeps a write that has been answered.
    func note(_ command: RedisCommand, _ script: RedisScript? = nil, at now: Instant) {
        guard window > 0 else { return }
        state.withLock { state in
            state.writes.append(Write(command: command, script: script, time: now))
            var old = max(0, state.writes.count - state.head - limit)
            while state.head + old < state.writes.count, isOver(state.writes[state.head + old], at: now) { old += 1 }
            state.drop(old)
        }
    }

    /// Keeps what is to be repeated of writes.
    func note(_ writes: [LastingWrite], answered replies: [RedisReply], at now: Instant) {
        for (write, reply) in zip(writes, replies) { note(write.repetition(reply), at: now) }
    }

    /// What a new connection is to repeat, the oldest first. They count as new again, since the server that they are repeated on may be the
    /// next to go. While nothing is written nothing becomes too old: a server that is away loses no more.
    func renewed(at now: Instant) -> [Write] {
        state.withLock { state in
            for index in state.head..<state.writes.count { state.writes[index].time = now }
            return Array(state.writes[state.head...])
        }
    }

    /// The same as commands, with each script first, once.
    func commands(at now: Instant) -> [RedisCommand] {
        var known: Set<String> = []
        var commands: [RedisCommand] = []
        for write in renewed(at: now) {
            if let script = write.script, known.insert(script.name).inserted {
                commands.append(RedisCommand("SCRIPT", "LOAD", script.source))
            }
            commands.append(write.command)
        }
        return commands
    }

    private func isOver(_ write: Write, at now: Instant) -> Bool {
        write.time < now && now.nanoseconds(since: write.time) > window
    }
}
