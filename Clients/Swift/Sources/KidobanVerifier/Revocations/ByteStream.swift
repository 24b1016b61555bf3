import Foundation
import KidobanTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The body of an answer that does not end, as it comes. `URLSession.bytes` is not everywhere.
final class ByteStream: NSObject, URLSessionDataDelegate {
    struct Refused: Error {
        let status: Int
        let retryAfter: TimeInterval?
    }

    private let bytes: AsyncThrowingStream<Data, any Error>.Continuation

    private init(_ bytes: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.bytes = bytes
    }

    /// Ends when the connection does or when nobody reads any more. Its first element is empty and says that the answer has begun.
    static func open(_ request: URLRequest) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            // The feed's heartbeats come every few seconds; the reader has a deadline of its own.
            configuration.timeoutIntervalForRequest = 60
            configuration.timeoutIntervalForResource = 7 * 86_400
            let session = URLSession(configuration: configuration, delegate: ByteStream(continuation), delegateQueue: nil)
            continuation.onTermination = { _ in session.invalidateAndCancel() }
            session.dataTask(with: request).resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let response = response as? HTTPURLResponse
        guard response?.statusCode == 200 else {
            let retryAfter = response.flatMap { HTTPAnswer($0, Data()).retryAfter }
            bytes.finish(throwing: Refused(status: response?.statusCode ?? 0, retryAfter: retryAfter))
            return completionHandler(.cancel)
        }
        bytes.yield(Data())
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        bytes.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        bytes.finish(throwing: error ?? URLError(.networkConnectionLost))
    }

    /// As in `URLSessionTransport`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 401
        bytes.finish(throwing: Refused(status: status, retryAfter: nil))
        completionHandler(.rejectProtectionSpace, nil)
    }

    /// Kidoban redirects nobody, and credentials go to nobody else.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
