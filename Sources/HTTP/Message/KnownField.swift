/// The request fields that are looked at often: the parser notes where each one is while it reads.
@usableFromInline
package enum KnownField: UInt8, CaseIterable, Sendable {
    case host
    case accept
    case cookie
    case expect
    case origin
    case forwarded
    case userAgent
    case connection
    case contentType
    case requestID
    case traceParent
    case authorization
    case contentLength
    case forwardedFor
    case contentEncoding
    case transferEncoding

    /// The lower-case name.
    package var name: StaticString {
        switch self {
        case .host: "host"
        case .accept: "accept"
        case .cookie: "cookie"
        case .expect: "expect"
        case .origin: "origin"
        case .forwarded: "forwarded"
        case .userAgent: "user-agent"
        case .connection: "connection"
        case .contentType: "content-type"
        case .requestID: "x-request-id"
        case .traceParent: "traceparent"
        case .authorization: "authorization"
        case .contentLength: "content-length"
        case .forwardedFor: "x-forwarded-for"
        case .contentEncoding: "content-encoding"
        case .transferEncoding: "transfer-encoding"
        }
    }
}

extension KnownField {
    /// Recognises a field name in any case. `_` never stands for `-`.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        switch range.count {
        case 4 where bytes.hasName("host", in: range): self = .host
        case 6 where bytes.hasName("accept", in: range): self = .accept
        case 6 where bytes.hasName("cookie", in: range): self = .cookie
        case 6 where bytes.hasName("expect", in: range): self = .expect
        case 6 where bytes.hasName("origin", in: range): self = .origin
        case 9 where bytes.hasName("forwarded", in: range): self = .forwarded
        case 10 where bytes.hasName("user-agent", in: range): self = .userAgent
        case 10 where bytes.hasName("connection", in: range): self = .connection
        case 11 where bytes.hasName("traceparent", in: range): self = .traceParent
        case 12 where bytes.hasName("content-type", in: range): self = .contentType
        case 12 where bytes.hasName("x-request-id", in: range): self = .requestID
        case 13 where bytes.hasName("authorization", in: range): self = .authorization
        case 14 where bytes.hasName("content-length", in: range): self = .contentLength
        case 15 where bytes.hasName("x-forwarded-for", in: range): self = .forwardedFor
        case 16 where bytes.hasName("content-encoding", in: range): self = .contentEncoding
        case 17 where bytes.hasName("transfer-encoding", in: range): self = .transferEncoding
        default: return nil
        }
    }
}
