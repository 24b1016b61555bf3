import HTTP
import Identity
import Routing
import Text

extension Providers {
    /// What is wrong with a notice, in the words of RFC 8935 §2.3: `{"err": "<code>", "description": "<text>"}`.
    enum Failure: Error {
        case malformed
        case notice(NoticeFailure)
        case request(RequestFailure)

        var response: Response {
            switch self {
            case .malformed: Self.response(.badRequest, .invalidRequest, "the body is not what it should be")
            case .notice(let failure): Self.response(to: failure)
            case .request(let failure): Self.response(failure.status, .invalidRequest, failure.reason)
            }
        }

        /// The codes of RFC 8935 §2.4.
        private enum Code: String {
            case invalidRequest = "invalid_request"
            case invalidKey = "invalid_key"
            case invalidIssuer = "invalid_issuer"
            case invalidAudience = "invalid_audience"
        }

        private static func response(to failure: NoticeFailure) -> Response {
            switch failure {
            case .refused(let refusal):
                let (code, description) = words(for: refusal)
                return response(.badRequest, code, description)
            case .notConfigured: return response(.notFound, .invalidRequest, "this provider is not configured here")
            case .unavailable(let delay):
                return response(
                    .serviceUnavailable, .invalidRequest, "the service is not available right now", fields: .retry(after: delay))
            case .internalFault: return response(.internalServerError, .invalidRequest, "something went wrong")
            }
        }

        private static func words(for refusal: NoticeRefusal) -> (Code, StaticString) {
            switch refusal.fault {
            case .issuer: (.invalidIssuer, "the issuer is not this provider")
            case .audience: (.invalidAudience, "the token is not for a client of this installation")
            case .time: (.invalidRequest, "the token is too old, or of a time to come")
            case .claim: (.invalidRequest, "the token lacks a claim or has one that cannot be read")
            case .signature: (.invalidKey, "the signature does not hold")
            case .unreadable: (.invalidRequest, "the token is not one that can be read")
            }
        }

        private static func response(
            _ status: Status, _ code: Code, _ description: StaticString, fields: ResponseFields = .notStored
        ) -> Response {
            var writer = JSONWriter(capacity: 128)
            writer.beginObject()
            writer.member("err", code.rawValue)
            writer.member("description", description.description)
            writer.endObject()
            return .json(status, writer, fields: fields)
        }

        static let documentation = RouteGroupDocumentation(
            "What identity providers tell of our users' accounts with them.", failure: schema)

        private static let schema = Routing.Schema.object([
            .required("err", .string), .required("description", .string),
        ]).named("NoticeError")

        static let refused = DocumentedResponse.json(
            .badRequest,
            "`invalid_request`, `invalid_key`, `invalid_issuer` or `invalid_audience` (RFC 8935 §2.4): the token proves nothing here.",
            schema)

        static let notConfigured = DocumentedResponse.json(
            .notFound, "`invalid_request`: the provider is not configured.", schema)
    }
}

/// Takes a notice; its failure becomes the API's.
func taking(_ notice: () async throws(NoticeFailure) -> Void) async throws(Providers.Failure) {
    do throws(NoticeFailure) {
        try await notice()
    } catch {
        throw .notice(error)
    }
}
