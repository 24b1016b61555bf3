public import Foundation
import KidobanTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension KidobanClient {
    /// Sends a request of the app to its backend with the access token. When that is refused with 401, it is refreshed and the request is sent
    /// once more; the second answer is returned whatever it is. A request with a body stream is not sent twice.
    public func data(for request: URLRequest) async throws(KidobanError) -> (Data, HTTPURLResponse) {
        let token = try await accessToken()
        let first = try await deliver(authorized(request, by: token))
        guard first.status == 401 else { return (first.body, first.response) }
        let fresh = try await accessToken(insteadOf: token)
        guard request.httpBodyStream == nil else { return (first.body, first.response) }
        let second = try await deliver(authorized(request, by: fresh))
        return (second.body, second.response)
    }

    /// The request with an access token in it, for whoever sends it without this client. After a 401, `accessToken(insteadOf:)` gets
    /// another one.
    public func authorized(_ request: URLRequest) async throws(KidobanError) -> URLRequest {
        try authorized(request, by: try await accessToken())
    }

    private nonisolated func authorized(_ request: URLRequest, by token: String) throws(KidobanError) -> URLRequest {
        guard let origin = Origin(request.url), origin.keepsSecrets else { throw .insecureURL }
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    /// One of Kidoban's own endpoints, as the signed-in user.
    func call(_ method: String, _ path: String, _ body: (any Encodable & Sendable)? = nil) async throws(KidobanError)
        -> HTTPAnswer
    {
        let token = try await accessToken()
        let began = epoch
        let request = try await request(method, path, body)
        var answer = try await deliver(authorized(request, by: token))
        // A wrong password is no cause to send it once more: each time counts.
        if answer.status == 401, KidobanError(answer) != .invalidCredentials {
            let fresh = try await accessToken(insteadOf: token)
            answer = try await deliver(authorized(request, by: fresh))
        }
        guard !(200..<300).contains(answer.status) else { return answer }
        let error = KidobanError(answer)
        if case .sessionEnded(let end) = error, epoch == began { try await endSession(end) }
        throw error
    }

    /// One of Kidoban's own endpoints that asks for no token.
    func send(_ method: String, _ path: String, _ body: (any Encodable & Sendable)? = nil) async throws(KidobanError)
        -> HTTPAnswer
    {
        let answer = try await deliver(try await request(method, path, body))
        guard (200..<300).contains(answer.status) else { throw KidobanError(answer) }
        return answer
    }

    private func request(
        _ method: String, _ path: String, _ body: (any Encodable & Sendable)?
    ) async throws(KidobanError) -> URLRequest {
        let url = URL(string: path, relativeTo: base)?.absoluteURL
        guard let url, let origin = Origin(url), origin.keepsSecrets else { throw .insecureURL }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue(try await state().deviceID, forHTTPHeaderField: "X-Device-ID")
        if let userAgent = configuration.userAgent { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            let encoder = JSONEncoder()
            // A request that is repeated is the same to the byte.
            encoder.outputFormatting = .sortedKeys
            do {
                request.httpBody = try encoder.encode(body)
            } catch {
                throw .unexpected(status: 0, message: "The request cannot be encoded.")
            }
        }
        return request
    }

    /// The server's URL with a slash at its end, below which paths are relative.
    private var base: URL {
        let prefix = configuration.pathPrefix.split(separator: "/").joined(separator: "/")
        let url = prefix.isEmpty ? server : server.appendingPathComponent(prefix)
        return url.absoluteString.hasSuffix("/") ? url : url.appendingPathComponent("")
    }

    private func deliver(_ request: URLRequest) async throws(KidobanError) -> HTTPAnswer {
        do {
            return try await transport.send(request)
        } catch {
            throw KidobanError(sending: error)
        }
    }

    nonisolated func decode<Value: Decodable>(_ type: Value.Type, _ answer: HTTPAnswer) throws(KidobanError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: answer.body)
        } catch {
            throw .unexpected(status: answer.status, message: nil)
        }
    }
}
