/// A request method (RFC 9110 §9). It is case-sensitive; lower-case spellings are refused before they get here.
package enum Method: Hashable, Sendable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case options
    case trace
    case connect
    /// Well formed but not one of the above: no route has it, so it is answered 405 or 404, never guessed at.
    case other(String)

    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other(let name): name
        }
    }
}

extension Method {
    /// Longest method name accepted; the longest registered one (`UPDATEREDIRECTREF`) has 17 letters.
    private static let maximumLength = 32

    /// Reads upper-case letters, digits and hyphens; `nil` for anything else.
    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        switch range.count {
        case 3 where bytes.equals("GET", in: range): self = .get
        case 4 where bytes.equals("POST", in: range): self = .post
        case 4 where bytes.equals("HEAD", in: range): self = .head
        case 3 where bytes.equals("PUT", in: range): self = .put
        case 5 where bytes.equals("PATCH", in: range): self = .patch
        case 6 where bytes.equals("DELETE", in: range): self = .delete
        case 7 where bytes.equals("OPTIONS", in: range): self = .options
        case 5 where bytes.equals("TRACE", in: range): self = .trace
        case 7 where bytes.equals("CONNECT", in: range): self = .connect
        case 1...Self.maximumLength where bytes.allSatisfy(.method, in: range):
            self = .other(bytes.text(in: range))
        default: return nil
        }
    }
}
