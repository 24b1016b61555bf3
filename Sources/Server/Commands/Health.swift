import Glibc
import Networking
import Text

/// `kidoban health`: asks the server on this machine whether it is ready, for a health check that has no other program at hand.
actor Health {
    /// How long connecting and answering may take together.
    static let patience: Duration = .seconds(4)
    /// A longer answer is not Kidoban's.
    private static let maximumAnswer = 4096

    /// Why there is no answer to read.
    private enum Failure: Error {
        case stream(StreamError)
        case notKidoban
    }

    private nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(loop: EventLoop) {
        self.loop = loop
    }

    /// - Returns: success when the server is ready, else failure.
    static func run(_ listening: SocketAddress, _ console: Console) async -> Int32 {
        _ = signal(SIGPIPE, SIG_IGN)
        let address = reachable(listening)
        do throws(SystemError) {
            let loop = try EventLoop()
            defer { loop.stop() }
            return await Health(loop: loop).ask(address, console)
        } catch {
            console.complain("\(error)")
            return ExitStatus.failure
        }
    }

    /// Where a server that listens on `address` is found from its own machine: one that listens everywhere, on loopback.
    static func reachable(_ address: SocketAddress) -> SocketAddress {
        switch address {
        case .ip(.v4(0), let port): .ip(.v4(0x7F00_0001), port: port)
        case .ip(.v6(0, 0), let port): .ip(.v6(0, 1), port: port)
        case .ip, .unix: address
        }
    }

    private func ask(_ address: SocketAddress, _ console: Console) async -> Int32 {
        do throws(Failure) {
            let answer = try Self.read(try await exchange(with: address))
            if answer.isReady { return console.print("ready\n") }
            console.complain("not ready: \(answer.status)")
        } catch {
            console.complain(Self.explanation(of: error, at: address))
        }
        return ExitStatus.failure
    }

    private static func explanation(of failure: Failure, at address: SocketAddress) -> String {
        switch failure {
        case .stream(.timedOut): "\(address) does not answer within \(patience)"
        case .stream(.system(let error)): "\(address) does not answer: \(error)"
        case .stream(.closed), .stream(.tls): "\(address) does not answer"
        case .notKidoban: "what listens on \(address) is not Kidoban"
        }
    }

    private func exchange(with address: SocketAddress) async throws(Failure) -> [UInt8] {
        do throws(StreamError) {
            let stream = try await Stream.connect(to: address, loop: loop, deadline: Instant.now() + Self.patience)
            defer { stream.close() }
            stream.write([UInt8]("GET /health/ready HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8))
            while stream.input.count <= Self.maximumAnswer, try await stream.fill() {}
            return stream.input
        } catch {
            throw .stream(error)
        }
    }

    /// Takes an answer of `Operations.Ready` apart: its status line (RFC 9112 §4), and the body on its last line.
    private static func read(_ answer: [UInt8]) throws(Failure) -> (isReady: Bool, status: String) {
        let lines = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let last = lines.last,
            let body = try? JSON.parse(String(last)), let status = body["status"]?.stringValue
        else { throw .notKidoban }
        // Who is on the way out names none of them.
        let missing = ["postgres", "redis", "signing_keys"].filter { part in body[part].map { $0.stringValue != "ok" } ?? false }
        let parts = missing.isEmpty ? "" : " (\(missing.joined(separator: ", ")))"
        return (first.hasPrefix("HTTP/1.1 200 "), status.excerpt + parts)
    }
}
