import Redis

/// Where a walk over the users with sessions has got to.
package struct SessionScanCursor: Sendable {
    fileprivate let text: String
}

extension SessionStore {
    /// About so many keys are looked at at once, so that Redis is not kept from other work.
    private static let scanCount: Int64 = 1000

    /// Some of the users with an index of sessions. From `nil` until `nil` is returned, each user comes who has one all the while, some
    /// of them more than once.
    /// - Throws: the store's failure.
    func owners(
        from cursor: SessionScanCursor?
    ) async throws(IdentityError) -> (owners: [UserID], next: SessionScanCursor?) {
        var command = RedisCommand(
            "SCAN", cursor?.text ?? "0", "MATCH", "\(IndexSessionScript.prefix)*\(IndexSessionScript.suffix)")
        command.append("COUNT")
        command.append(Self.scanCount)
        let asked = command
        let reply = try await sending { () throws(RedisError) in try await redis.send(asked) }
        guard let parts = reply.elements, parts.count == 2, let next = parts[0].text, let keys = parts[1].elements else {
            throw .fault()
        }
        return (keys.compactMap { $0.text.flatMap(Self.owner) }, next == "0" ? nil : SessionScanCursor(text: next))
    }

    private static func owner(_ key: String) -> UserID? {
        UserID(String(key.dropFirst(IndexSessionScript.prefix.count).dropLast(IndexSessionScript.suffix.count)))
    }
}
