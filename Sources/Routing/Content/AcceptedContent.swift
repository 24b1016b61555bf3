package import HTTP

/// Which bodies a route reads.
package enum AcceptedContent: Sendable {
    /// None: whatever comes is read off the connection and dropped.
    case none
    case json
    case form
    case jsonOrForm
    /// JSON, or a form in either encoding.
    case jsonOrAnyForm
    /// Of any type: the endpoint words what is wrong with it. Content codings are refused as for the others.
    case any
    /// A security event token (RFC 8417 §7.2).
    case securityEvent

    /// Whether the announced body is one the route reads; if not, the answer is 415, before the body is read.
    ///
    /// A request without a body passes, whatever it announces: what it lacks is for the endpoint to say. Content codings are
    /// refused, so that a small body cannot unpack into a large one.
    package func accepts(_ head: RequestHead) -> Bool {
        guard self != .none, head.framing != .none else {
            return true
        }
        guard Self.isUncoded(head) else {
            return false
        }
        switch (self, ContentType(of: head)) {
        case (.json, .json), (.form, .form), (.jsonOrForm, .json), (.jsonOrForm, .form), (.securityEvent, .securityEvent):
            return true
        case (.jsonOrAnyForm, .json), (.jsonOrAnyForm, .form), (.jsonOrAnyForm, .multipart), (.any, _): return true
        case (.none, _), (.json, _), (.form, _), (.jsonOrForm, _), (.jsonOrAnyForm, _), (.securityEvent, _): return false
        }
    }

    /// The content types that a client is told to send, without parameters.
    package var types: [String] {
        switch self {
        case .none: []
        case .json, .any: ["application/json"]
        case .form: ["application/x-www-form-urlencoded"]
        case .jsonOrForm: ["application/json", "application/x-www-form-urlencoded"]
        case .jsonOrAnyForm: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
        case .securityEvent: ["application/secevent+jwt"]
        }
    }

    private static func isUncoded(_ head: RequestHead) -> Bool {
        guard let coding = head.fields.value(of: .contentEncoding) else {
            return true
        }
        return !head.isRepeated(.contentEncoding) && head.bytes.span.equalsIgnoringCase("identity", in: coding)
    }
}
