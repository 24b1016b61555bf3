import Networking

/// Whether the server is still the primary, asked now and then: a connection that only reads would never learn otherwise.
extension RedisConnection {
    /// Writes nothing, and is refused like any write by a server that takes none: with `READONLY` by a replica, with `NOREPLICAS` by a
    /// primary that lacks replicas. `ROLE` would need a right that Kidoban needs for nothing else.
    static var roleQuestion: RedisCommand { RedisCommand("DEL", "limit:none") }

    /// The same, and refused as well by a server that is full (`OOM`) or cannot write its file (`MISCONF`): a key that is gone at once.
    static var writeQuestion: RedisCommand { RedisCommand("SET", "limit:none", "", "PX", "1") }

    /// Asks once the configured interval has passed, and again and again, for as long as the connection serves.
    func askForRoleLater(_ stream: Stream) {
        roleTimer = loop.schedule(after: configuration.roleInterval) { [weak self] in
            self?.assumeIsolated { redis in
                redis.roleTimer = nil
                redis.loop.start { await redis.askForRole(of: stream) }
            }
        }
    }

    /// What follows from the answer is done where any command's is looked at.
    private func askForRole(of stream: Stream) async {
        guard isServing(stream) else { return }
        do throws(RedisError) {
            _ = try await send(Self.writeQuestion)
            refusesWrites = false
        } catch .refused {
            // Our user may not, which is no matter of the server's.
            refusesWrites = false
        } catch .overloaded {
            // It has not been asked.
        } catch {
            // Only an answer tells: where there is none, the connection is not the server's to judge.
            if isServing(stream) { refusesWrites = true }
        }
        if owesWrites, isServing(stream) { owesWrites = await !repeatOwedWrites() }
        if isServing(stream) { askForRoleLater(stream) }
    }

    func cancelRoleQuestion() {
        if let roleTimer { loop.cancel(roleTimer) }
        roleTimer = nil
    }
}
