package import Redis
import Text

/// Tells all copies that a client has changed, so that none goes on with a record that it remembers.
///
/// It is told by a stream in Redis. A copy that Redis does not reach learns of it when its record's life is over.
package struct ClientChanges: Sendable {
    package static let key = "feed:clients"
    /// How long the stream lasts that nobody writes to or follows.
    package static let life: Duration = .seconds(86_400)
    /// How many changes it keeps, about. A reader that missed more looks up every client again.
    private static let length: Int64 = 1000
    private static let field = "id"

    private let redis: RedisConnection
    private let clients: ClientRegistry

    package init(redis: RedisConnection, clients: ClientRegistry) {
        self.redis = redis
        self.clients = clients
    }

    /// To be called when a change is committed. Redis's failure loses nothing but time: copies look clients up again by themselves.
    func tell(_ id: ClientID) async {
        await clients.renew([id.text])
        var addition = RedisCommand("XADD", Self.key, "MAXLEN", "~")
        addition.append(Self.length)
        for word in ["*", Self.field, id.text] { addition.append(word) }
        var renewal = RedisCommand("PEXPIRE", Self.key)
        renewal.append(Self.life.wholeMilliseconds)
        _ = try? await redis.send([addition, renewal])
    }

    /// Has a loop's memory look up again whatever the stream names, or everything when the stream has lost something.
    package static func pass(_ news: RedisStreamNews, to clients: ClientRegistry) async {
        switch news {
        case .alive, .follows: break
        case .lost: await clients.renewAll()
        case .entries(let entries):
            await clients.renew(entries.compactMap { $0[field] }.map { String(decoding: $0, as: UTF8.self) })
        }
    }
}
