import TestSupport
import Testing

@testable import HTTP

@Suite("RecentHead: the same head again", .timeLimit(.minutes(5)))
struct RecentHeadTests {
    private static let text = "POST /echo HTTP/1.1\r\nHost: a\r\nX-Filler: abcdefgh\r\nContent-Length: 3\r\n\r\n"

    private func recent(_ text: String) throws -> RecentHead {
        var parser = RequestParser(limits: .with())
        guard case .complete(let head, _) = try parser.parse(Array(text.utf8).span) else { throw Unexpected() }
        return RecentHead(head: head, match: .refused(.notFound, group: nil))
    }

    private func isBegun(_ input: [UInt8], by recent: RecentHead) -> Bool {
        recent.begins(input.span)
    }

    @Test func `it begins what has all its bytes, and nothing that differs in one or ends earlier`() throws {
        let (recent, bytes) = (try recent(Self.text), Array(Self.text.utf8))
        #expect(isBegun(bytes, by: recent))
        #expect(isBegun(bytes + Array("abcPOST".utf8), by: recent))
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(!isBegun(other, by: recent), "byte \(place)")
            #expect(!isBegun(Array(bytes[..<place]), by: recent), "\(place) bytes")
        }
    }

    @Test(arguments: 0..<9)
    func `it compares the last bytes whatever their number`(length: Int) throws {
        let text = "GET / HTTP/1.1\r\nHost: a" + String(repeating: "b", count: length)
        let recent = try recent(text + "\r\n\r\n")
        #expect(isBegun(Array((text + "\r\n\r\n").utf8), by: recent))
        #expect(!isBegun(Array((text.dropLast() + "c\r\n\r\n").utf8), by: recent))
        #expect(!isBegun(Array((text + "\r\nX: y\r\n\r\n").utf8), by: recent))
    }

    @Test func `it is kept if it takes little, of few bytes and few fields`() throws {
        #expect(try recent(Self.text).isKept)
        #expect(try !recent(Self.text.replacing("abcdefgh", with: String(repeating: "a", count: 2048))).isKept)
        let fields = (0..<96).map { "a\($0): b\r\n" }.joined()
        #expect(try !recent("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").isKept)
    }

    @Test func `each request has its own body and answer, however it is cut`() async throws {
        try await withServer { server in
            let client = try server.connect()
            var number = 0
            for cut in [0, 1, 20, Self.text.utf8.count - 1, Self.text.utf8.count, Self.text.utf8.count + 2] {
                for body in ["abc", "def"] {
                    number += 1
                    let request = Array((Self.text + body).utf8)
                    try client.send(String(decoding: request[..<cut], as: UTF8.self))
                    try client.send(String(decoding: request[cut...], as: UTF8.self))
                    try client.expect(Answer(body: body, type: "application/octet-stream", number: number).text)
                }
            }
        }
    }

    @Test func `a head that only begins like the one before is read by itself`() async throws {
        try await withServer { server in
            let client = try server.connect()
            let home = "GET / HTTP/1.1\r\nHost: a\r\n"
            try client.send(home + "\r\n" + home + "\r\n" + home + "Connection: close\r\n\r\n" + home + "\r\n")
            try client.expect(
                Answer(body: "home", number: 1).text + Answer(body: "home", number: 2).text
                    + Answer(body: "home", number: 3, connection: "close").text)
            try client.expectEnd()
            #expect(server.served.value == ["/", "/", "/"])
        }
    }

    @Test func `a malformed head is refused behind a good one that begins the same`() async throws {
        try await withServer { server in
            let client = try server.connect()
            let home = "GET / HTTP/1.1\r\nHost: a\r\n"
            try client.send(home + "\r\n" + home + "Host: a\r\n\r\n")
            try client.expect(Answer(body: "home", number: 1).text)
            #expect(try client.receiveText() == Answer.malformed("400 Bad Request", .repeatedField, number: 2).text)
        }
    }
}
