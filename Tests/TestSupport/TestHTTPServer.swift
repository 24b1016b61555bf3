import Synchronization

/// A web server on 127.0.0.1 that answers as a test says, with TLS when it is given a certificate. It takes one request a connection.
package final class TestHTTPServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let target: String
        /// By lower-case name.
        package let fields: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Answer: Sendable {
        case response(status: Int, fields: [String: String] = [:], body: String = "")
        /// These bytes, whatever they are, and then the end of the stream.
        case bytes([UInt8])
        /// The first bytes, then the others again and again until the client has gone; nothing more if there are none.
        case endless([UInt8], then: [UInt8])
        /// Nothing until the client has gone.
        case silence
    }

    package let port: UInt16
    private let listening: TestSocket
    private let tls: TestTLSContext?
    private let answer: @Sendable (Request) async -> Answer
    private let received = Mutex<[Request]>([])
    private let accepted = Atomic(0)

    /// - Parameters:
    ///   - certificate: nil for plain HTTP.
    ///   - onlyTLS11: whether it speaks nothing newer than TLS 1.1.
    ///   - answer: runs in a task with a thread of its own; it may wait.
    package static func start(
        _ certificate: TestCertificate? = nil, onlyTLS11: Bool = false, answer: @escaping @Sendable (Request) async -> Answer
    ) throws -> TestHTTPServer {
        let server = try TestHTTPServer(certificate, onlyTLS11, answer)
        let listening = server.listening
        startThread { [weak server] in
            while true {
                do throws(TestSocket.Failure) {
                    let connection = try listening.accept()
                    guard let server else { return }
                    server.accepted.add(1, ordering: .relaxed)
                    startThread { server.serve(connection) }
                } catch {
                    guard error.isTimeout else { return }
                }
            }
        }
        return server
    }

    private init(
        _ certificate: TestCertificate?, _ onlyTLS11: Bool, _ answer: @escaping @Sendable (Request) async -> Answer
    ) throws {
        listening = try TestSocket(listeningOn: 0)
        port = listening.port
        tls = try certificate.map { try TestTLSContext($0, onlyTLS11: onlyTLS11) }
        self.answer = answer
    }

    deinit {
        listening.stopListening()
    }

    package func stop() {
        listening.stopListening()
    }

    /// Everything that was asked, in the order of arrival.
    package var requests: [Request] { received.withLock { $0 } }

    /// Connections that were made, whether or not a request came.
    package var connectionCount: Int { accepted.load(ordering: .relaxed) }

    package func url(_ path: String, host: String = "localhost") -> String {
        "\(tls == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    private func serve(_ socket: TestSocket) {
        do {
            let channel = try TestChannel(socket, tls)
            guard let request = try Self.readRequest(channel) else { return }
            received.withLock { $0.append(request) }
            let answer = answer
            // Not on the pool of threads that tests run on: it may be busy for longer than a client waits.
            Task(executorPreference: ThreadExecutor()) {
                let chosen = await answer(request)
                // A client that has gone is no concern of the server's.
                try? Self.write(chosen, to: channel)
            }
        } catch {}
    }

    private static func write(_ answer: Answer, to channel: TestChannel) throws {
        switch answer {
        case .response(let status, let fields, let body):
            var head = "HTTP/1.1 \(status) Something\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n"
            for (name, value) in fields { head += "\(name): \(value)\r\n" }
            try channel.send([UInt8]("\(head)\r\n\(body)".utf8))
            try channel.end()
        case .bytes(let bytes):
            try channel.send(bytes)
            try channel.end()
        case .endless(let first, let others):
            try channel.send(first)
            while !others.isEmpty { try channel.send(others) }
            while try channel.receive() != nil {}
        case .silence:
            while try channel.receive() != nil {}
        }
    }

    private static func readRequest(_ channel: TestChannel) throws -> Request? {
        var bytes: [UInt8] = []
        while let more = try channel.receive() {
            bytes += more
            if let request = parse(bytes) { return request }
        }
        return nil
    }

    /// Nil until the request is complete.
    private static func parse(_ bytes: [UInt8]) -> Request? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        var lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
        let start = lines.removeFirst().split(separator: " ").map(String.init)
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let body = bytes.dropFirst(text[..<end.upperBound].utf8.count)
        guard start.count == 3, body.count >= Int(fields["content-length"] ?? "0") ?? 0 else { return nil }
        return Request(method: start[0], target: start[1], fields: fields, body: Array(body))
    }
}
