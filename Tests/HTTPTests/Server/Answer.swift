import Testing

@testable import HTTP

/// An answer as the test server writes it, byte for byte.
struct Answer {
    var status = "200 OK"
    var body = ""
    var type: String? = "text/plain; charset=utf-8"
    /// The number that ends the request id, in hexadecimal; it counts up with every request that brings none.
    var number = 1
    /// Instead of a made one.
    var id: String?
    var connection: String?
    var fields: [String] = []
    /// HEAD: the length is that of the body, which does not follow.
    var isHead = false

    var text: String {
        var lines = ["HTTP/1.1 \(status)", "X-Content-Type-Options: nosniff"]
        if status.prefix(3) != "204" { lines.append("Content-Length: \(body.utf8.count)") }
        if let type { lines.append("Content-Type: \(type)") }
        lines += ["Date: \(TestServer.date)", "X-Request-Id: \(id ?? TestServer.requestID(number))"]
        if let connection { lines.append("Connection: \(connection)") }
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + (isHead ? "" : body)
    }

    /// A refusal after which the connection ends.
    static func refusal(_ status: String, _ reason: String, number: Int = 1) -> Answer {
        Answer(status: status, body: reason, number: number, connection: "close")
    }

    /// What could not be read as a request is answered in the words of no API.
    static func malformed(_ status: String, _ error: HTTPParseError, number: Int = 1) -> Answer {
        refusal(status, "\(error.reason)\n", number: number)
    }
}

/// The status codes of the answers in `text`, which must be nothing but whole answers with their bodies.
func statuses(in text: String, sourceLocation: SourceLocation = #_sourceLocation) -> [Int] {
    var statuses: [Int] = []
    var rest = [UInt8](text.utf8)[...]
    while !rest.isEmpty {
        guard let end = rest.firstRange(of: [UInt8]("\r\n\r\n".utf8)) else { break }
        let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { break }
        let length = head.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        statuses.append(status)
        guard end.upperBound + length <= rest.endIndex else { break }
        rest = rest[(end.upperBound + length)...]
    }
    #expect(rest.isEmpty, "more than whole answers", sourceLocation: sourceLocation)
    return statuses
}
