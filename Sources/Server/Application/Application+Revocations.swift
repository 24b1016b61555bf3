import Endpoints
import Identity
import Networking
import Redis

extension Application {
    /// What follows the ends that all copies write, and passes them on to all loops. Nil where nobody is told of them.
    static func revocations(_ workers: [Worker], _ shared: SharedParts) -> RedisStreamReader? {
        let feeds = workers.compactMap { worker in worker.services.revocations.map { (worker.loop, $0) } }
        guard let first = workers.first, !feeds.isEmpty else { return nil }
        return RedisStreamReader(
            shared.configuration.redis, key: RevocationLog.key, life: RevocationLog.life, loop: first.loop,
            resolving: shared.resolving, logger: shared.logger
        ) { news in
            for (loop, feed) in feeds {
                if loop === first.loop {
                    feed.take(news)
                } else {
                    loop.call { feed.take(news) }
                }
            }
        }
    }
}
