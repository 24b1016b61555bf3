@testable import HTTP

/// The head of a GET with these field lines, which must be well formed.
func parsedHead(fields: [String], method: String = "GET", path: String = "/") throws -> RequestHead {
    var parser = RequestParser(limits: Limits())
    let bytes = [UInt8]("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n".utf8)
    guard case .complete(let head, _) = try parser.parse(bytes.span) else { throw IncompleteHead() }
    return head
}

private struct IncompleteHead: Error {}
