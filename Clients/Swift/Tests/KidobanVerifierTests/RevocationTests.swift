import ClientTestSupport
import Foundation
import KidobanTransport
import Testing

@testable import KidobanVerifier

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Server-sent events")
struct EventStreamTests {
    private static let text =
        "retry: 1000\nid: 1-0\nevent: ready\ndata: {}\n\n:\n\nid: 2-0\r\nevent: x\r\ndata: a\r\ndata:b\r\n\r\nid\rdata\r\r"
    private static let events = [
        ServerSentEvent(name: "ready", data: "{}", id: "1-0"), ServerSentEvent(name: "x", data: "a\nb", id: "2-0"),
        ServerSentEvent(name: "message", data: "", id: ""),
    ]

    @Test(arguments: 0...EventStreamTests.text.utf8.count) func `are read however they are cut`(at place: Int) throws {
        var parser = EventStreamParser()
        let bytes = Array(Self.text.utf8)
        #expect(try parser.parse(bytes[..<place]) + parser.parse(bytes[place...]) == Self.events)
    }

    @Test func `without an end are refused`() {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.TooLong.self) { try parser.parse([UInt8](repeating: 0x61, count: 70_000)) }
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<100_000 { _ = try parser.parse("data: 0123456789abcdef\n".utf8) }
        }
    }
}

@Suite("Revocations")
struct RevocationListTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func token(_ id: String, _ session: String?, after seconds: TimeInterval) -> VerifiedToken {
        .sample(id: id, session: session, issuedAt: start + seconds, expiresAt: start + seconds + 900)
    }

    @Test func `end a token, a session, or what a client got in its own name before`() {
        var list = RevocationList(most: 10, retention: 1000)
        list.beginAnew(at: start)
        list.insert(.token("a"), at: start + 1)
        list.insert(.session("s"), at: start + 1)
        list.insert(.client("app"), at: start + 10)
        #expect(list.holds(token("a", "x", after: 0)) && list.holds(token("b", "s", after: 0)))
        #expect(!list.holds(token("b", "x", after: 0)))
        #expect(list.holds(token("c", nil, after: 10)) && !list.holds(token("c", nil, after: 11)))
    }

    @Test func `for which there was no room are told to be missing`() {
        var list = RevocationList(most: 100, retention: 1000)
        list.beginAnew(at: start)
        let before = list.generation
        for number in 0..<300 { list.insert(.session("s\(number)"), at: start + Double(number)) }
        #expect(list.count == 100 && list.generation != before)
        #expect(list.holds(token("a", "s299", after: 0)) && !list.holds(token("a", "s0", after: 0)))
        #expect(!list.isComplete(for: token("a", "s0", after: 100)))
        #expect(list.isComplete(for: token("a", "s0", after: 200)))
    }

    @Test func `are forgotten when no such token can live any more`() {
        var list = RevocationList(most: 100, retention: 50)
        list.beginAnew(at: start)
        let before = list.generation
        for number in 0..<300 { list.insert(.session("s\(number)"), at: start + Double(number)) }
        #expect(list.count == 51 && list.generation == before)
    }
}

/// Connections of a feed, which a test writes to.
private final class ScriptedStreams: Sendable {
    typealias Continuation = RevocationFeed.Stream.Continuation
    let requests = Box<[URLRequest]>([])
    private let last = Box<Continuation?>(nil)

    func open(_ request: URLRequest) -> RevocationFeed.Stream {
        RevocationFeed.Stream { continuation in
            last.value = continuation
            requests.change { $0.append(request) }
        }
    }

    func send(_ text: String) { last.value?.yield(Data(text.utf8)) }
    func cut() { last.value?.finish(throwing: URLError(.networkConnectionLost)) }
    func refuse(_ status: Int) { last.value?.finish(throwing: ByteStream.Refused(status: status, retryAfter: nil)) }
}

@Suite("Revocation feed")
struct RevocationFeedTests {
    private let streams = ScriptedStreams()
    private let start = Date()
    private var position: String { "\(Int((start.timeIntervalSince1970 - 100) * 1000))-0" }

    private func feed() throws -> RevocationFeed {
        let url = try #require(URL(string: "https://id.example.com"))
        return RevocationFeed(server: url, client: credentials, memory: 100, retention: 3600, clock: .real) { [streams] in
            streams.open($0)
        }
    }

    private func token(_ session: String) -> VerifiedToken {
        .sample(session: session, issuedAt: start, expiresAt: start + 900)
    }

    @Test func `a session that ends is refused, and nothing is vouched for before the feed is live`() async throws {
        let feed = try feed()
        #expect(feed.verdict(on: token("s")) == .unknown)
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { streams.requests.value.count == 1 })
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        #expect(try await eventually { feed.status == .live })
        #expect(feed.verdict(on: token("s")) == .good)
        // Older than what the feed tells of.
        #expect(feed.verdict(on: .sample(issuedAt: start - 200, expiresAt: start + 700)) == .unknown)
        streams.send("id: 2-0\nevent: session_ended\ndata: {\"sid\":\"s\",\"iat\":\(Int(start.timeIntervalSince1970))}\n\n")
        #expect(try await eventually { feed.verdict(on: token("s")) == .revoked })
        #expect(feed.verdict(on: token("t")) == .good)
    }

    @Test func `a cut feed vouches for nothing, and goes on where it was cut`() async throws {
        let feed = try feed()
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { streams.requests.value.count == 1 })
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        #expect(try await eventually { feed.mark != nil })
        let mark = try #require(feed.mark)
        streams.cut()
        #expect(try await eventually { streams.requests.value.count == 2 })
        #expect(streams.requests.value[1].value(forHTTPHeaderField: "Last-Event-ID") == position)
        #expect(feed.verdict(on: token("t")) == .unknown && !feed.isGood(token("t"), since: mark))
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        streams.send("id: 9-0\nevent: session_ended\ndata: {\"sid\":\"missed\"}\n\n")
        #expect(try await eventually { feed.verdict(on: token("missed")) == .revoked })
        // Signs of life, and bytes that end within an event, are not the word that all has been told.
        streams.send(":\n\n")
        streams.send("id: 9-1\nevent: session_ended\nda")
        streams.send("ta: {\"sid\":\"later\"}\n\n")
        #expect(try await eventually { feed.verdict(on: token("later")) == .revoked })
        #expect(feed.status == .connecting && feed.verdict(on: token("t")) == .unknown && feed.mark == nil)
        streams.send("id: 10-0\nevent: current\ndata: {}\n\n")
        #expect(try await eventually { feed.isGood(token("t"), since: mark) })
    }

    @Test func `a feed that was cut is live as soon as it has heard what it missed`() async throws {
        let feed = try feed()
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { streams.requests.value.count == 1 })
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        #expect(try await eventually { feed.mark != nil })
        let mark = try #require(feed.mark)
        streams.cut()
        #expect(try await eventually { streams.requests.value.count == 2 })
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        streams.send("id: 9-0\nevent: session_ended\ndata: {\"sid\":\"missed\"}\n\n")
        #expect(try await eventually { feed.verdict(on: token("missed")) == .revoked })
        #expect(feed.verdict(on: token("t")) == .unknown)
        streams.send("id: 10-0\nevent: current\ndata: {}\n\n")
        #expect(try await eventually { feed.isGood(token("t"), since: mark) })
        streams.cut()
        #expect(try await eventually { streams.requests.value.count == 3 })
        #expect(streams.requests.value[2].value(forHTTPHeaderField: "Last-Event-ID") == "10-0")
    }

    @Test func `after a reset older tokens are not vouched for`() async throws {
        let feed = try feed()
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { streams.requests.value.count == 1 })
        streams.send("id: \(position)\nevent: ready\ndata: {}\n\n")
        #expect(try await eventually { feed.verdict(on: token("t")) == .good })
        let mark = try #require(feed.mark)
        streams.send("id: \(Int(start.timeIntervalSince1970 * 1000))-0\nevent: reset\ndata: {}\n\n")
        #expect(try await eventually { feed.verdict(on: token("t")) == .unknown })
        #expect(!feed.isGood(token("t"), since: mark))
    }

    @Test func `a server without a feed is no failure of the verifier`() async throws {
        let feed = try feed()
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { streams.requests.value.count == 1 })
        streams.refuse(404)
        #expect(try await eventually { feed.status == .refused(status: 404) })
        #expect(feed.verdict(on: token("t")) == .unknown)
    }
}

@Suite("Byte streams")
struct ByteStreamTests {
    @Test func `bring bytes as they come, and say how they end`() async throws {
        let server = try TinyServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n"
        }
        var bytes = ByteStream.open(URLRequest(url: server.url)).makeAsyncIterator()
        #expect(try await bytes.next() == Data())
        #expect(try await bytes.next() == Data(":\n\n".utf8))
    }

    @Test(arguments: [401, 404, 503]) func `are refused with the server's status`(status: Int) async throws {
        let server = try TinyServer { _ in
            TinyServer.answer("\(status) No", fields: ["WWW-Authenticate: Basic realm=\"x\"", "Retry-After: 3"])
        }
        await #expect { for try await _ in ByteStream.open(URLRequest(url: server.url)) {} } throws: {
            ($0 as? ByteStream.Refused)?.status == status
        }
    }
}

@Suite("Revocation feed of a server", .enabled(if: LiveServer.isThere))
struct LiveRevocationFeedTests {
    @Test func `a sign-out ends local verification at once, where the server has a feed`() async throws {
        let feed = RevocationFeed(server: try LiveServer.required(), client: credentials)
        feed.start()
        defer { feed.stop() }
        #expect(try await eventually { feed.status != .connecting })
        guard feed.status == .live else {
            #expect(feed.status == .refused(status: 404) && !LiveServer.hasFeed)
            return
        }
        let app = try await signedUpApp()
        let token = try await app.accessToken()
        let verifier = try local(feed: feed, fallback: .ask(try introspection()))
        _ = try await verifier.verify(token)
        let transport = ScriptedTransport()
        let remembering = try introspection(transport, cache: .init(), feed: feed)
        for _ in 0..<5 { _ = try await remembering.verify(token) }
        #expect(await transport.requests.count == 1)
        try await app.signOut()
        #expect(
            try await eventually {
                await error { () throws(TokenError) in _ = try await verifier.verify(token) } == .invalid(.revoked)
            })
        #expect(await error { () throws(TokenError) in _ = try await remembering.verify(token) } == .invalid(.inactive))
    }
}
