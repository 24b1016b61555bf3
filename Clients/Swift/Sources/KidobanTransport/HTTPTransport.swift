package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// What was answered to a request, whatever its status.
package struct HTTPAnswer: Sendable {
    package let response: HTTPURLResponse
    package let body: Data

    package init(_ response: HTTPURLResponse, _ body: Data) {
        self.response = response
        self.body = body
    }

    package var status: Int { response.statusCode }

    package func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// `Retry-After` in seconds (RFC 9110 §10.2.3), a day at most. Kidoban sends no dates there.
    package var retryAfter: TimeInterval? {
        guard let text = field("Retry-After"), let seconds = Int(text.trimmingCharacters(in: .whitespaces)), seconds >= 0 else {
            return nil
        }
        return TimeInterval(min(seconds, 86_400))
    }
}

/// Sends requests. Tests put one in between that loses answers.
package protocol HTTPTransport: Sendable {
    /// - Throws: `URLError` when no answer came, `CancellationError` when the task was cancelled.
    func send(_ request: URLRequest) async throws -> HTTPAnswer
}

/// `URLSession` without a cache and without cookies. It keeps its connections open, each request has a deadline, and redirects are
/// followed within one origin only.
package final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: Exchanges
    private let deadline: TimeInterval

    /// - Parameters:
    ///   - deadline: for a request as a whole, in seconds.
    ///   - connections: at most so many to one server.
    ///   - longestBody: an answer with more bytes is none.
    package init(deadline: TimeInterval, connections: Int, longestBody: Int = .max) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.timeoutIntervalForRequest = max(1, deadline)
        configuration.timeoutIntervalForResource = max(1, deadline)
        exchanges = Exchanges(longestBody: longestBody)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        self.deadline = deadline
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    package func send(_ request: URLRequest) async throws -> HTTPAnswer {
        try await withThrowingTaskGroup(of: HTTPAnswer.self) { [self] group in
            group.addTask { [self] in try await exchange(request) }
            // `timeoutIntervalForRequest` counts from the last byte only, and a server may send one now and then.
            group.addTask { [deadline] in
                try await Task.sleep(nanoseconds: UInt64(deadline * 1_000_000_000))
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    private func exchange(_ request: URLRequest) async throws -> HTTPAnswer {
        let task = session.dataTask(with: request)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    exchanges.begin(task, continuation)
                    // What was cancelled before may have ended already, when nobody waited for it.
                    if Task.isCancelled { exchanges.abandon(task) }
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        } catch let error as URLError where error.code == .cancelled && Task.isCancelled {
            throw CancellationError()
        }
    }
}

/// The answers that are under way. A delegate, because `URLSession.data(for:)` follows every redirect on Linux, to wherever it leads.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange: Sendable {
        let continuation: CheckedContinuation<HTTPAnswer, any Error>
        var response: HTTPURLResponse?
        var refusal: HTTPURLResponse?
        var body = Data()
    }

    private let underWay = Locked<[Int: Exchange]>([:])
    private let longestBody: Int

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
        underWay.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
    }

    func abandon(_ task: URLSessionTask) {
        finish(task, with: .failure(URLError(.cancelled)))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        underWay.withLock { $0[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = underWay.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return (exchanges[dataTask.taskIdentifier]?.body.count ?? 0) > longestBody
        }
        if isTooLong { finish(dataTask, with: .failure(URLError(.dataLengthExceedsMaximum))) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let refusal = underWay.withLock { $0[task.taskIdentifier]?.refusal }
        finish(task, with: refusal.map { .success(HTTPAnswer($0, Data())) } ?? error.map { .failure($0) })
    }

    /// Credentials are in the request, or nowhere: a refusal is an answer like others. On Linux a task whose challenge nobody meets would never
    /// end, and the body of the refusal is lost.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        guard [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest].contains(method) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        #if canImport(FoundationNetworking)
        underWay.withLock { $0[task.taskIdentifier]?.refusal = challenge.failureResponse as? HTTPURLResponse }
        #endif
        completionHandler(.rejectProtectionSpace, nil)
    }

    /// Neither a token nor a password goes to another origin: the answer is then the redirect.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let isSame = Origin(task.originalRequest?.url).map { $0 == Origin(request.url) } ?? false
        if !isSame { underWay.withLock { $0[task.taskIdentifier]?.response = response } }
        completionHandler(isSame ? request : nil)
    }

    /// - Parameter result: nil for what has been received.
    private func finish(_ task: URLSessionTask, with result: Result<HTTPAnswer, any Error>?) {
        guard let exchange = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let received = exchange.response.map { HTTPAnswer($0, exchange.body) }
        exchange.continuation.resume(
            with: result ?? received.map { .success($0) } ?? .failure(URLError(.badServerResponse)))
        if result != nil { task.cancel() }
    }
}

/// Scheme, host and port of a URL (RFC 6454).
package struct Origin: Equatable, Sendable {
    private let scheme: String
    private let host: String
    private let port: Int

    package init?(_ url: URL?) {
        guard let url, let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether a token may be sent there: over TLS, or within one machine.
    package var keepsSecrets: Bool {
        scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }
}
