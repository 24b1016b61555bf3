import Networking
import Testing

@testable import Identity

extension Instant {
    fileprivate static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
    }
}

/// The hash of whatever text.
extension AccessTokenHash: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(of: text) }
}

extension HotTokenMemory {
    /// One that is told what changes, and has proved at the time 0 that it is.
    fileprivate static func trusted(byteLimit: Int = 100_000) throws -> HotTokenMemory {
        var memory = HotTokenMemory(byteLimit: byteLimit)
        memory.take(.follows)
        try memory.prove(at: 0)
        return memory
    }

    fileprivate mutating func prove(at time: UInt64) throws {
        take(.proved(try probe(at: time)))
    }

    fileprivate mutating func probe(at time: UInt64) throws -> UInt64 {
        let number = beginProbe(at: .at(time))
        return try #require(number)
    }

    fileprivate mutating func reading(_ key: AccessTokenHash) throws -> Reading {
        let reading = beginReading(key)
        return try #require(reading)
    }

    /// Asks and is answered at once.
    fileprivate mutating func read(_ key: AccessTokenHash, _ record: [UInt8] = [1], end: UInt64 = 1_000_000) {
        guard let reading = beginReading(key) else { return }
        endReading(reading, found: (record, .at(end)))
    }
}

@Suite struct HotTokenMemoryTests {
    @Test func `what was read is remembered until it ends`() throws {
        var memory = try HotTokenMemory.trusted()
        #expect(memory.record(of: "a", at: .at(0)) == nil)
        memory.read("a", [7], end: 500)
        #expect(memory.record(of: "a", at: .at(499)) == [7])
        #expect(memory.record(of: "b", at: .at(499)) == nil)
        #expect(memory.record(of: "a", at: .at(500)) == nil)
        #expect(memory.count == 0 && memory.byteCount == 0)
    }

    @Test func `what was written of a record is remembered for its reader, and goes with the record`() throws {
        var memory = try HotTokenMemory.trusted()
        var written = 0
        func answer(_ reader: ClientRegistry.Entry, at time: UInt64 = 0) -> [UInt8]?? {
            memory.answer(of: "a", for: reader, at: .at(time)) { record in
                written += 1
                return record + [9]
            }
        }
        let (first, other) = (Self.reader("first"), Self.reader("other"))
        #expect(answer(first) == .none)
        memory.read("a", [7], end: 500)
        let bare = memory.byteCount
        for _ in 0..<3 { #expect(answer(first) == [7, 9]) }
        #expect(written == 1 && memory.byteCount == bare + 2)
        // Another takes no place from it; the same client looked up again does.
        for _ in 0..<2 { #expect(answer(other) == [7, 9]) }
        #expect(written == 3)
        let again = Self.reader("first")
        for _ in 0..<2 { #expect(answer(again) == [7, 9]) }
        #expect(written == 4 && memory.byteCount == bare + 2)
        memory.take(.changed(["a"]))
        #expect(answer(again) == .none && memory.byteCount == 0)
        memory.read("a", [8], end: 500)
        #expect(answer(again) == [8, 9])
        #expect(answer(again, at: 500) == .none && memory.byteCount == 0)
    }

    @Test func `what a reader may not see is nothing, and an answer too long is not remembered`() throws {
        var memory = try HotTokenMemory.trusted(byteLimit: 300)
        let reader = Self.reader("first")
        memory.read("a", [7])
        #expect(memory.answer(of: "a", for: reader, at: .at(0)) { _ in nil } == .some(nil))
        let long = [UInt8](repeating: 1, count: 200)
        #expect(memory.answer(of: "a", for: reader, at: .at(0)) { _ in long } == long)
        #expect(memory.record(of: "a", at: .at(0)) == [7] && memory.byteCount == 201)
    }

    private static func reader(_ id: String) -> ClientRegistry.Entry {
        let id = World.clientID(id)
        return ClientRegistry.Entry(
            Client(id: id, name: "Backend", authentication: .publicClient, permissions: [.introspect], audiences: []),
            readAt: .at(0))
    }

    @Test func `nothing is remembered while nobody tells what changes`() {
        var memory = HotTokenMemory(byteLimit: 100_000)
        #expect(memory.beginReading("a") == nil)
        #expect(memory.beginProbe(at: .at(0)) == nil)
        memory.take(.proved(1))
        #expect(!memory.isTrusted(at: .at(0)))
        #expect(memory.count == 0 && memory.readingCount == 0)
    }

    @Test func `what changes is forgotten`() throws {
        var memory = try HotTokenMemory.trusted()
        for key in ["a", "b"] as [AccessTokenHash] { memory.read(key) }
        memory.take(.changed(["a", "c"]))
        #expect(memory.record(of: "a", at: .at(1)) == nil)
        #expect(memory.record(of: "b", at: .at(1)) == [1])
        // It may be read again.
        memory.read("a", [2])
        #expect(memory.record(of: "a", at: .at(1)) == [2])
    }

    @Test func `a probe counts from when it was begun, for less than a second`() throws {
        var memory = HotTokenMemory(byteLimit: 100_000)
        memory.take(.follows)
        memory.read("a")
        #expect(memory.record(of: "a", at: .at(0)) == nil)
        let first = try memory.probe(at: 0)
        let second = try memory.probe(at: 300)
        memory.take(.proved(first))
        #expect(memory.record(of: "a", at: .at(999)) == [1])
        #expect(memory.record(of: "a", at: .at(1000)) == nil)
        // Late, and still no older than it is.
        memory.take(.proved(second))
        #expect(memory.record(of: "a", at: .at(1299)) == [1])
        #expect(memory.record(of: "a", at: .at(1300)) == nil)
        // Neither again nor backwards.
        memory.take(.proved(first))
        memory.take(.proved(second))
        #expect(memory.record(of: "a", at: .at(1300)) == nil)
        // It was told of what changed all the while.
        try memory.prove(at: 5000)
        #expect(memory.record(of: "a", at: .at(5001)) == [1])
    }

    @Test(arguments: [[.lost, .follows], [.emptied], [.follows]] as [[HotTokenMemory.Event]])
    func `a break forgets all, what is under way and what is not proved`(_ events: [HotTokenMemory.Event]) throws {
        var memory = try HotTokenMemory.trusted()
        memory.read("a")
        let reading = try memory.reading("b")
        let probe = try memory.probe(at: 10)
        for event in events { memory.take(event) }
        #expect(memory.count == 0 && memory.byteCount == 0)
        memory.endReading(reading, found: ([1], .at(1_000_000)))
        memory.take(.proved(probe))
        #expect(!memory.isTrusted(at: .at(11)))
        try memory.prove(at: 12)
        for key in ["a", "b"] as [AccessTokenHash] { #expect(memory.record(of: key, at: .at(13)) == nil) }
        memory.read("b")
        #expect(memory.record(of: "b", at: .at(13)) == [1])
        #expect(memory.readingCount == 0)
    }

    @Test func `a change while it is read is not remembered, and a reading after it is`() throws {
        var memory = try HotTokenMemory.trusted()
        let before = try memory.reading("a")
        memory.take(.changed(["a"]))
        let after = try memory.reading("a")
        memory.endReading(before, found: ([1], .at(1_000_000)))
        #expect(memory.record(of: "a", at: .at(1)) == nil)
        memory.endReading(after, found: ([2], .at(1_000_000)))
        #expect(memory.record(of: "a", at: .at(1)) == [2])
        #expect(memory.readingCount == 0)
    }

    @Test func `a reading that fails or finds nothing leaves nothing behind`() throws {
        var memory = try HotTokenMemory.trusted()
        for _ in 0..<3 { memory.endReading(try memory.reading("a"), found: nil) }
        #expect(memory.count == 0 && memory.readingCount == 0)
    }

    @Test func `what the store has no more is forgotten, though nobody has told of it`() throws {
        var memory = try HotTokenMemory.trusted()
        memory.read("a")
        memory.endReading(try memory.reading("a"), found: nil)
        #expect(memory.record(of: "a", at: .at(1)) == nil)
    }

    @Test func `a probe that was not told takes with it what was remembered`() throws {
        var memory = try HotTokenMemory.trusted()
        memory.read("a")
        _ = try memory.probe(at: 100)
        memory.take(.proved(try memory.probe(at: 200)))
        #expect(memory.isTrusted(at: .at(201)))
        #expect(memory.record(of: "a", at: .at(201)) == nil)
        // As when so many were not told that they are awaited no more.
        memory.read("a")
        for number in 0..<20 { _ = try memory.probe(at: 300 + UInt64(number)) }
        memory.take(.proved(try memory.probe(at: 400)))
        #expect(memory.isTrusted(at: .at(401)))
        #expect(memory.record(of: "a", at: .at(401)) == nil)
    }

    @Test func `it stays within its bytes, and what is asked for stays`() throws {
        var memory = try HotTokenMemory.trusted(byteLimit: 10_000)
        for number in 0..<1000 {
            memory.read("key-\(number)", Array(repeating: 0, count: number % 700))
            #expect(memory.byteCount <= 10_000)
            if number >= 5 { #expect(memory.record(of: "key-5", at: .at(1)) != nil, "\(number)") }
        }
        #expect(memory.byteCount > 5000)
        #expect(memory.record(of: "key-1", at: .at(1)) == nil)
        // The same key does not count twice, and one that is too large is not kept.
        let before = memory.count
        for _ in 0..<100 { memory.read("key-5", [1, 2]) }
        #expect(memory.count == before)
        memory.read("key-5", Array(repeating: 0, count: 20_000))
        #expect(memory.record(of: "key-5", at: .at(1)) == nil)
        #expect(memory.count == before - 1)
    }

    @Test(arguments: UInt64(0)..<60)
    func `no order of events makes it believe what ended more than a second ago`(_ seed: UInt64) {
        var play = Play(seed: seed)
        for _ in 0..<4000 { play.step() }
        #expect(play.mistakes == [])
        #expect(play.hits > 5)
    }
}

/// A server, its two connections with what is on its way in them, and somebody who asks: at each step something happens that can.
private struct Play {
    private enum Question {
        case get(HotTokenMemory.Reading, AccessTokenHash)
        case probe(UInt64)
    }

    /// A value that a key has or had.
    private struct Value {
        let key: AccessTokenHash
        var endedAt: UInt64?
    }

    private static let keys: [AccessTokenHash] = ["a", "b", "c"]

    private(set) var hits = 0
    private(set) var mistakes: [String] = []
    private var memory = HotTokenMemory(byteLimit: 450)
    private var random: SeededGenerator
    private var time: UInt64 = 0
    private var values: [Value] = []
    private var live: [AccessTokenHash: Int] = [:]
    private var isTracked = false
    private var questions: [Question] = []
    private var answers: [(reading: HotTokenMemory.Reading, value: Int?)] = []
    private var messages: [HotTokenMemory.Event] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func step() {
        let key = Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<11: time += UInt64.random(in: 0...80, using: &random)
        case 11: time += UInt64.random(in: 0...1500, using: &random)
        case 12..<30: look(key)
        case 30..<42: if let number = memory.beginProbe(at: .at(time)) { questions.append(.probe(number)) }
        case 42..<62: for _ in 0..<Int.random(in: 1...4, using: &random) { work() }
        case 62..<77: for _ in 0..<Int.random(in: 1...4, using: &random) { hear() }
        case 77..<90: for _ in 0..<min(answers.count, Int.random(in: 1...3, using: &random)) { answer() }
        case 90..<94: end(key)
        case 94..<98: begin(key)
        case 98: if Bool.random(using: &random) { cutMessages() } else { cutQuestions() }
        default: if !isTracked { track() } else { empty() }
        }
    }

    /// Somebody asks, and the store is asked where nothing is remembered.
    private mutating func look(_ key: AccessTokenHash) {
        if let record = memory.record(of: key, at: .at(time)) {
            hits += 1
            let value = values[Int(record[0]) << 8 | Int(record[1])]
            if value.key != key { mistakes.append("another key at \(time)") }
            if let endedAt = value.endedAt, time - endedAt > 1000 { mistakes.append("\(key) at \(time), ended at \(endedAt)") }
        } else if let reading = memory.beginReading(key) {
            questions.append(.get(reading, key))
        }
    }

    /// The server takes the next command.
    private mutating func work() {
        guard !questions.isEmpty else { return }
        switch questions.removeFirst() {
        case .get(let reading, let key): answers.append((reading, live[key]))
        case .probe(let number): tell(.proved(number))
        }
    }

    private mutating func tell(_ message: HotTokenMemory.Event) {
        if isTracked { messages.append(message) }
    }

    private mutating func answer() {
        let (reading, value) = answers.removeFirst()
        memory.endReading(
            reading, found: value.map { ([UInt8($0 >> 8), UInt8($0 & 255)], .at(time + 100_000)) })
    }

    private mutating func hear() {
        guard !messages.isEmpty else { return }
        memory.take(messages.removeFirst())
    }

    private mutating func end(_ key: AccessTokenHash) {
        guard let value = live.removeValue(forKey: key) else { return }
        values[value].endedAt = time
        tell(.changed([key]))
    }

    private mutating func begin(_ key: AccessTokenHash) {
        guard live[key] == nil else { return }
        live[key] = values.count
        values.append(Value(key: key))
        tell(.changed([key]))
    }

    /// All keys go at once.
    private mutating func empty() {
        for value in live.values { values[value].endedAt = time }
        live = [:]
        tell(.emptied)
    }

    private mutating func track() {
        isTracked = true
        messages.append(.follows)
    }

    /// The connection ends that tells.
    private mutating func cutMessages() {
        isTracked = false
        messages = []
        memory.take(.lost)
    }

    /// The connection ends that asks. What it has answered already may still be on its way to whoever asked.
    private mutating func cutQuestions() {
        for case .get(let reading, _) in questions { memory.endReading(reading, found: nil) }
        questions = []
        memory.take(.emptied)
    }
}
