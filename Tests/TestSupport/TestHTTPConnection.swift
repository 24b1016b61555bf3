/// One HTTP/1.1 connection to a server on 127.0.0.1. Its calls block: they belong on a thread of their own.
package final class TestHTTPConnection: @unchecked Sendable {  // used by one thread after the other, as its one owner says
    package struct Failure: Error {
        package let reason: String
    }

    private let socket: TestSocket
    private var input: [UInt8] = []

    package init(to port: UInt16) throws {
        socket = try TestSocket(connectingTo: port)
    }

    package func send(_ bytes: [UInt8]) throws {
        try socket.send(bytes)
    }

    /// Sends a request and reads its answer.
    package func exchange(_ request: TestHTTPRequest) throws -> TestHTTPResponse {
        try send(request.bytes)
        return try receive(answering: request.method)
    }

    /// The next response.
    package func receive(answering method: String = "GET") throws -> TestHTTPResponse {
        let head = try receiveHead()
        let lines = head.split(separator: "\r\n").map(String.init)
        let parts = lines[0].split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw Failure(reason: "no status line: \(lines[0])")
        }
        let fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":") else { throw Failure(reason: "no field: \(line)") }
            return (name: String(line[..<colon]), value: String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        let lengths = fields.filter { $0.name.lowercased() == "content-length" }.compactMap { Int($0.value) }
        let length = method == "HEAD" || status == 204 ? 0 : lengths.first ?? 0
        while input.count < length { try receiveMore() }
        let body = Array(input[..<length])
        input.removeFirst(length)
        return TestHTTPResponse(status: status, fields: fields, body: body)
    }

    /// Whether the server has ended its side and nothing is left to read; waits for either.
    package func isEnded() throws -> Bool {
        try input.isEmpty && socket.receive().isEmpty
    }

    private func receiveHead() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if input.count >= 4, let start = (0...(input.count - 4)).first(where: { Array(input[$0..<($0 + 4)]) == end }) {
                let head = String(decoding: input[..<start], as: UTF8.self)
                input.removeFirst(start + 4)
                return head
            }
            try receiveMore()
        }
    }

    private func receiveMore() throws {
        let more = try socket.receive()
        guard !more.isEmpty else { throw Failure(reason: "the server has ended the connection") }
        input += more
    }
}
