import Networking

/// For whom introspection writes: another object once it would write something else.
protocol AnswerReader: AnyObject, Sendable {
    var clientID: ClientID { get }
}

/// What a loop remembers of access tokens, and whether it may be believed: a value, so that each order of events can be tried.
///
/// What is remembered is told when it changes. That nothing is missing is proved now and then: the loop has a key changed over the connection
/// that it asks by, and hears of that key on the one that tells of changes. All that had changed before was then told before. So a
/// probe counts from when it was begun, and it is one of the whole way: the server that is asked, and takes writes, is the one that tells.
struct HotTokenMemory {
    /// How long a probe lasts.
    static let trust: Duration = .seconds(1)
    /// What an entry takes beside its text, about.
    fileprivate static let overhead = 200
    /// Probes that are awaited at once.
    private static let probeLimit = 16

    enum Event {
        /// From now on it is told what changes.
        case follows
        /// It is told no more.
        case lost
        /// All keys may be gone; or whom is asked is another server.
        case emptied
        case changed([AccessTokenHash])
        case proved(UInt64)
    }

    /// A question that is under way.
    struct Reading: Equatable {
        let token: AccessTokenHash
        fileprivate let age: UInt64
        fileprivate let change: Int
    }

    /// What has been written of a record, and for whom.
    private struct Answer {
        let bytes: [UInt8]
        let reader: any AnswerReader
    }

    private struct Entry {
        let token: AccessTokenHash
        let record: [UInt8]
        let end: Instant
        var answer: Answer?
        /// Whether it was asked for since the hand was here last.
        var isWanted = false

        var cost: Int { record.count + (answer?.bytes.count ?? 0) + HotTokenMemory.overhead }
    }

    private struct Readings {
        var count = 0
        /// How often the record has changed since the first of them began.
        var changes = 0
    }

    private let byteLimit: Int
    private(set) var byteCount = 0
    private(set) var isFollowed = false
    /// Counts how often all was forgotten.
    private var age: UInt64 = 0
    private var places: [AccessTokenHash: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    /// Where the next entry is looked for that has to go.
    private var hand = 0
    private var readings: [AccessTokenHash: Readings] = [:]
    private var lastProbe: UInt64 = 0
    private var awaited: [(number: UInt64, begun: Instant)] = []
    /// Whether one is awaited no more that was never told.
    private var hasDroppedProbe = false
    private var provedAt: Instant?

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    var count: Int { places.count }

    var readingCount: Int { readings.count }

    /// Whether nothing that has changed longer than `trust` ago is still remembered.
    func isTrusted(at now: Instant) -> Bool {
        guard isFollowed, let provedAt else { return false }
        return now.nanoseconds(since: provedAt) < Self.trust.wholeNanoseconds
    }

    mutating func take(_ event: Event) {
        switch event {
        case .follows:
            forgetAll()
            isFollowed = true
        case .lost:
            forgetAll()
            isFollowed = false
        case .emptied: forgetAll()
        case .changed(let tokens):
            for token in tokens {
                if let place = places[token] { remove(place) }
                readings[token]?.changes += 1
            }
        case .proved(let number):
            guard let index = awaited.firstIndex(where: { $0.number == number }) else { return }
            let (begun, later) = (awaited[index].begun, awaited.dropFirst(index + 1))
            // One before it was not told, so that something else may not have been.
            if index > 0 || hasDroppedProbe { forgetAll() }
            provedAt = begun
            awaited = Array(later)
        }
    }

    private mutating func forgetAll() {
        age += 1
        (places, entries, free, hand, byteCount) = ([:], [], [], 0, 0)
        awaited = []
        hasDroppedProbe = false
        provedAt = nil
    }
}

/// Probes.
extension HotTokenMemory {
    /// The number of a probe to begin now; nil while there is nothing to prove.
    mutating func beginProbe(at now: Instant) -> UInt64? {
        guard isFollowed else { return nil }
        lastProbe += 1
        if awaited.count == Self.probeLimit {
            awaited.removeFirst()
            hasDroppedProbe = true
        }
        awaited.append((lastProbe, now))
        return lastProbe
    }
}

/// Records.
extension HotTokenMemory {
    /// What is remembered, if it may be believed.
    mutating func record(of token: AccessTokenHash, at now: Instant) -> [UInt8]? {
        place(of: token, at: now).flatMap { entries[$0]?.record }
    }

    /// The same as it is written for a reader, which is remembered, too: for one reader of a token.
    /// - Parameter write: writes it; nil for who may not see it.
    /// - Returns: nil where no record is remembered.
    mutating func answer(
        of token: AccessTokenHash, for reader: any AnswerReader, at now: Instant, writing write: ([UInt8]) -> [UInt8]?
    ) -> [UInt8]?? {
        guard let place = place(of: token, at: now) else { return nil }
        if let answer = entries[place]?.answer, answer.reader === reader { return answer.bytes }
        guard var entry = entries[place], let bytes = write(entry.record) else { return .some(nil) }
        // Readers that take turns would push each other out. A client that has been looked up again is another object.
        if entry.answer.map({ $0.reader.clientID == reader.clientID }) ?? true {
            entry.answer = Answer(bytes: bytes, reader: reader)
            if entry.cost <= byteLimit { remember(entry) }
        }
        return bytes
    }

    private mutating func place(of token: AccessTokenHash, at now: Instant) -> Int? {
        guard isTrusted(at: now), let place = places[token], let end = entries[place]?.end else { return nil }
        guard now < end else {
            remove(place)
            return nil
        }
        entries[place]?.isWanted = true
        return place
    }

    /// The store is about to be asked. Nil if the answer is not to be remembered.
    mutating func beginReading(_ token: AccessTokenHash) -> Reading? {
        guard isFollowed else { return nil }
        readings[token, default: Readings()].count += 1
        return Reading(token: token, age: age, change: readings[token]?.changes ?? 0)
    }

    /// The store has answered, or has failed to. What has changed meanwhile, or may have, is not remembered.
    /// - Parameter found: the record, and when it ends at the latest.
    mutating func endReading(_ reading: Reading, found: (record: [UInt8], end: Instant)?) {
        let isUnchanged = readings[reading.token]?.changes == reading.change
        readings[reading.token]?.count -= 1
        if readings[reading.token]?.count == 0 { readings[reading.token] = nil }
        guard let found else {
            // Whatever was remembered is gone, though nobody has told.
            if let place = places[reading.token] { remove(place) }
            return
        }
        guard isUnchanged, reading.age == age, isFollowed else { return }
        remember(Entry(token: reading.token, record: found.record, end: found.end))
    }

    private mutating func remember(_ entry: Entry) {
        if let place = places[entry.token] { remove(place) }
        guard entry.cost <= byteLimit else { return }
        while byteCount + entry.cost > byteLimit { removeNext() }
        byteCount += entry.cost
        if let place = free.popLast() {
            entries[place] = entry
            places[entry.token] = place
        } else {
            places[entry.token] = entries.count
            entries.append(entry)
        }
    }

    /// Takes the next entry out that nobody has asked for since the hand was there last. There must be one.
    private mutating func removeNext() {
        while true {
            if hand >= entries.count { hand = 0 }
            defer { hand += 1 }
            guard let entry = entries[hand] else { continue }
            if entry.isWanted {
                entries[hand]?.isWanted = false
            } else {
                return remove(hand)
            }
        }
    }

    private mutating func remove(_ place: Int) {
        guard let entry = entries[place] else { return }
        byteCount -= entry.cost
        places[entry.token] = nil
        entries[place] = nil
        free.append(place)
    }
}
