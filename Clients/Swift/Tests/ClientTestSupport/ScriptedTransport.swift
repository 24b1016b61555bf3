package import Foundation
package import KidobanTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Stands between a client and the server, and does to each request what a test wants.
package actor ScriptedTransport: HTTPTransport {
    package enum Fate: Sendable {
        case deliver
        /// The server does what it was asked, and nobody hears of it.
        case loseAnswer
        case fail(URLError.Code)
        case answer(Int, fields: [String: String] = [:], body: String = "")
    }

    package typealias Script = @Sendable (URLRequest) async -> Fate

    private let next: any HTTPTransport
    private var script: Script
    package private(set) var requests: [URLRequest] = []

    package init(_ script: @escaping Script = { _ in .deliver }) {
        next = URLSessionTransport(deadline: 20, connections: 32)
        self.script = script
    }

    package func follow(_ script: @escaping Script) { self.script = script }

    /// How many requests went to paths that end so.
    package func count(_ suffix: String) -> Int {
        requests.filter { $0.url?.path.hasSuffix(suffix) ?? false }.count
    }

    package func send(_ request: URLRequest) async throws -> HTTPAnswer {
        requests.append(request)
        switch await script(request) {
        case .deliver: return try await next.send(request)
        case .loseAnswer:
            _ = try await next.send(request)
            throw URLError(.networkConnectionLost)
        case .fail(let code): throw URLError(code)
        case .answer(let status, let fields, let body):
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            else { throw URLError(.badURL) }
            return HTTPAnswer(response, Data(body.utf8))
        }
    }
}

extension URLRequest {
    package func goes(to suffix: String) -> Bool { url?.path.hasSuffix(suffix) ?? false }
}

/// A value that tests change from scripts.
package final class Box<Value: Sendable>: Sendable {
    private let locked: Locked<Value>

    package init(_ value: Value) { locked = Locked(value) }

    package var value: Value {
        get { locked.withLock { $0 } }
        set { locked.withLock { $0 = newValue } }
    }

    package func change<Result>(_ body: (inout Value) -> Result) -> Result { locked.withLock(body) }
}

/// Time that passes when somebody sleeps, and when a test says so.
package final class TestClock: Sendable {
    private let time: Box<Date>
    package let slept = Box<[TimeInterval]>([])

    package init(_ time: Date = Date()) { self.time = Box(time) }

    package func advance(by seconds: TimeInterval) { time.change { $0 += seconds } }

    package var clock: SystemClock {
        SystemClock(
            now: { self.time.value },
            sleep: { seconds in
                try Task.checkCancellation()
                self.slept.change { $0.append(seconds) }
                self.advance(by: seconds)
                await Task.yield()
            })
    }
}
