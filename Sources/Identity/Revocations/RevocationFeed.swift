package import Logging
import Networking
package import Redis

/// Tells listeners of a loop what ends, on whichever copy. Confined to its loop: requests never touch it.
package final class RevocationFeed: @unchecked Sendable {  // every member is touched on its loop only
    /// A listener that has missed something, and the last that it has heard.
    private struct Reader: Sendable {
        let subscription: RevocationSubscription
        let last: RedisStreamID
    }

    /// How often a listener hears something at least.
    private static let heartbeat: Duration = .seconds(5)
    /// How often it is looked whether listeners may go on listening.
    private static let look: Duration = .seconds(1)
    /// How long the stream may be silent before listeners are cut off: they are not to believe that nothing ends.
    private static let silence: Duration = .seconds(8)
    private static let pageSize = 200
    /// How long a listener may take to read a page.
    private static let patience: Duration = .seconds(30)

    private let redis: RedisConnection
    private let installation: Installation
    private let clients: ClientRegistry
    private let places: RevocationPlaces
    private let logger: Logger
    private var loop: EventLoop { redis.loop }
    private var subscriptions: [ObjectIdentifier: RevocationSubscription] = [:]
    private var turns = CatchUpTurns<Reader>()
    /// The last entry that was told of; nil while none is known.
    private var position: RedisStreamID?
    /// When the stream could be read last. That Redis takes a connection and names an entry is not enough.
    private var heardAt: Instant?
    private var beatAt: Instant
    private var isLooking = false
    private var isChecking = false

    package init(
        redis: RedisConnection, installation: Installation, clients: ClientRegistry, places: RevocationPlaces, logger: Logger
    ) {
        self.redis = redis
        self.installation = installation
        self.clients = clients
        self.places = places
        self.logger = logger
        beatAt = redis.loop.now
    }

    /// News of the stream.
    package func take(_ news: RedisStreamNews) {
        switch news {
        case .alive: heardAt = loop.now
        case .follows(let id): position = id
        case .lost(let id):
            position = id
            for subscription in subscriptions.values { subscription.reset(id) }
        case .entries(let entries):
            heardAt = loop.now
            position = entries.last?.id ?? position
            guard !subscriptions.isEmpty else { return }
            for event in entries.compactMap({ RevocationEvent($0, in: installation) }) {
                for subscription in subscriptions.values { subscription.take(event) }
            }
        }
    }

    private var isSilent: Bool { heardAt.map { loop.now.since($0) > Self.silence } ?? true }

    /// Takes a place for a listener, to be given back by `dismiss`.
    /// - Throws: `IdentityError.clientNotPermitted`; `tooManyRequests` when there are too many listeners; `unavailable`.
    package func admit(_ entry: ClientRegistry.Entry) throws(IdentityError) {
        guard entry.client.mayIntrospect else { throw .clientNotPermitted }
        guard position != nil, !isSilent else { throw .unavailable(retryAfter: .seconds(1)) }
        guard places.take(entry.client.id) else { throw .tooManyRequests(retryAfter: .seconds(10)) }
    }

    /// Gives the place of a listener back.
    package func dismiss(_ entry: ClientRegistry.Entry) {
        places.give(entry.client.id)
    }

    /// Has a listener hear what ends from now on, or from behind the entry that it heard last.
    /// - Parameter cursor: that entry; nil for a new listener.
    package func enter(
        _ entry: ClientRegistry.Entry, _ sink: any RevocationSink, from cursor: RedisStreamID?
    ) -> RevocationSubscription {
        let subscription = RevocationSubscription(entry, sink)
        subscriptions[ObjectIdentifier(subscription)] = subscription
        watch()
        guard let position else {
            subscription.cut()
            return subscription
        }
        if let cursor {
            subscription.send(RevocationEvent.ready(cursor))
            catchUp(subscription, from: cursor)
        } else {
            subscription.send(RevocationEvent.ready(position))
            _ = subscription.hasCaughtUp(with: position)
        }
        return subscription
    }

    package func leave(_ subscription: RevocationSubscription) {
        subscription.leave()
        subscriptions[ObjectIdentifier(subscription)] = nil
    }

    /// Tells what has ended since an entry, page by page, each when it is the listener's turn.
    private func catchUp(_ subscription: RevocationSubscription, from last: RedisStreamID) {
        let reader = Reader(subscription: subscription, last: last)
        turns.wait(reader, of: subscription.entry.client.id.text, at: loop.now)
        takeTurns()
    }

    private func takeTurns() {
        while let (reader, client) = turns.next(at: loop.now) {
            guard !reader.subscription.isOver else {
                turns.ended(client)
                continue
            }
            loop.start { [self] in
                let last = await tellPage(to: reader)
                turns.ended(client)
                takeTurns()
                // The turn is over already: a listener that reads slowly keeps no other waiting.
                if let last, await hasTaken(reader.subscription) { catchUp(reader.subscription, from: last) }
            }
        }
    }

    /// Tells what has ended since an entry. That entry has to be there still: else others behind it may be gone, too.
    /// - Returns: the last entry that was told, if there are more.
    private func tellPage(to reader: Reader) async -> RedisStreamID? {
        let subscription = reader.subscription
        // The first is the one that it knows.
        let command = RedisCommand(
            "XRANGE", RevocationLog.key, reader.last.description, "+", "COUNT", String(Self.pageSize + 1))
        guard let entries = try? await redis.send(command).elements?.compactMap({ RedisStreamEntry($0) }), let position else {
            subscription.cut()
            return nil
        }
        guard let first = entries.first, let last = entries.last, first.id == reader.last else {
            subscription.reset(position)
            return nil
        }
        for entry in entries.dropFirst() {
            if let event = RevocationEvent(entry, in: installation) { subscription.tell(event) }
        }
        guard entries.count <= Self.pageSize, subscription.hasCaughtUp(with: last.id) else { return last.id }
        // What the stream had brought by now has waited, and is told as well.
        subscription.send(RevocationEvent.current(max(last.id, position)))
        return nil
    }

    /// Waits until a listener has taken what it was told; one that does not is cut off.
    private func hasTaken(_ subscription: RevocationSubscription) async -> Bool {
        let patience = loop.schedule(after: Self.patience) { subscription.cut() }
        let hasTaken = await subscription.drained()
        loop.cancel(patience)
        if !hasTaken { subscription.cut() }
        return hasTaken
    }

    /// Looks now and then whether the stream is followed and who may still listen, and has every listener hear something.
    private func watch() {
        guard !isLooking else { return }
        isLooking = true
        loop.schedule(after: Self.look) { [self] in
            isLooking = false
            guard !subscriptions.isEmpty else { return }
            watch()
            if isSilent {
                logger.warning("listeners to revocations are cut off, because Redis's stream is not followed")
                for subscription in subscriptions.values { subscription.cut() }
                return
            }
            if loop.now.since(beatAt) >= Self.heartbeat {
                beatAt = loop.now
                for subscription in subscriptions.values { subscription.beat() }
            }
            loop.start { await self.checkClients() }
        }
    }

    /// A client that is gone, may see something else now, or has proved itself with what is good no more, hears nothing more.
    package func checkClients() async {
        // While PostgreSQL does not answer, one of these waits for it.
        guard !isChecking else { return }
        isChecking = true
        defer { isChecking = false }
        for subscription in Array(subscriptions.values) where !subscription.isOver {
            let before = subscription.entry.client
            do throws(IdentityError) {
                let now = try await clients.client(before.id.text).client
                let isGood = now.mayIntrospect && now.audiences == before.audiences && now.takes(before.authentication)
                if !isGood { subscription.cut() }
            } catch .invalidClient {
                subscription.cut()
            } catch {
                // Nobody can tell for the moment.
            }
        }
    }
}
