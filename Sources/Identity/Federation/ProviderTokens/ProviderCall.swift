import Outbound
import Text

/// Why a call to a provider's token or revocation endpoint came to nothing: for logs and audit events. Nothing that the provider
/// sent is in it but an error code that we know.
package enum ProviderCallFailure: Error, Equatable, CustomStringConvertible {
    /// No answer, or none in time.
    case unreachable(String)
    /// An error in OAuth's words (RFC 6749 §5.2).
    case refused(OAuthCode)
    case unexpectedStatus(Int)
    /// An answer that cannot be read, or lacks what it must have.
    case malformed
    /// The client secret could not be signed.
    case notSigned

    /// The codes that Apple and Google name; any other is `other`.
    package enum OAuthCode: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidToken = "invalid_token"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
        case other
    }

    package var description: String {
        switch self {
        case .unreachable(let why): "unreachable: \(why)"
        case .refused(let code): "refused: \(code.rawValue)"
        case .unexpectedStatus(let status): "status \(status)"
        case .malformed: "malformed answer"
        case .notSigned: "client secret not signed"
        }
    }
}

/// A form that is posted to a provider.
struct ProviderCall: Sendable {
    let url: String
    var form = FormBody()

    /// The body of the answer, if its status is 200.
    func send(by https: HTTPSClient) async throws(ProviderCallFailure) -> [UInt8] {
        let request = OutboundRequest(
            .post, url,
            fields: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")], body: form.bytes)
        return try await Self.body(of: request, by: https)
    }

    /// The body of the answer to a request, if its status is 200.
    static func body(of request: OutboundRequest, by https: HTTPSClient) async throws(ProviderCallFailure) -> [UInt8] {
        let response: OutboundResponse
        do throws(OutboundError) {
            response = try await https.send(request)
        } catch {
            throw .unreachable("\(error)")
        }
        switch response.status {
        case 200: return response.body
        case 400, 401: throw failure(response.status, response.body)
        default: throw .unexpectedStatus(response.status)
        }
    }

    static func failure(_ status: Int, _ body: [UInt8]) -> ProviderCallFailure {
        guard let code = (try? JSON.parse(body))?["error"]?.stringValue else { return .unexpectedStatus(status) }
        return .refused(ProviderCallFailure.OAuthCode(rawValue: code) ?? .other)
    }
}
