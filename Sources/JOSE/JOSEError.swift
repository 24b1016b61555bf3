package import Text

/// Why a token or a key set was refused. ``reason`` is for audit logs only: a client learns that its token is not good, not why.
///
/// No case carries anything of the refused input.
package enum JOSEError: Error, Equatable, Sendable {
    /// Larger than the limit, which is checked before any decoding.
    case tooLarge
    /// Not the compact serialization: another number of parts than three (five are a JWE), or JSON.
    case notThreeParts
    /// A part that is not strict base64url (RFC 7515 §2): padding, white space, foreign symbols, non-zero trailing bits.
    case invalidBase64URL(JWSPart)
    case missingSignature
    /// The header is not a JSON object, or an ambiguous one.
    case headerNotJSON(JSONParseError.Kind)
    case headerNotObject
    /// A header parameter of a wrong type, empty or overlong; the name is one that this code knows.
    case invalidHeaderParameter(String)
    /// `crit` is there: no extension is understood (RFC 7515 §4.1.11).
    case criticalExtension
    /// `b64` is there (RFC 7797).
    case unencodedPayload
    /// `zip` is there (RFC 7516 §4.1.3).
    case compressed
    /// An `alg` that this code does not know, `none` among them.
    case unsupportedAlgorithm
    /// An `alg` that the caller does not allow here.
    case algorithmNotAllowed
    /// The key is of another type than the `alg` needs, or declares another algorithm.
    case keyDoesNotFit
    case missingKeyID
    /// No key of that name, or several.
    case unknownKey
    case invalidSignature
    /// `typ` says that the token is for something else (RFC 8725 §3.11).
    case unexpectedType
    case payloadNotJSON(JSONParseError.Kind)
    case payloadNotObject
    case missingClaim(String)
    /// A claim of a wrong type or outside what is sane.
    case invalidClaim(String)
    case expired
    case notYetValid
    case issuedInFuture
    /// Issued longer ago than the caller accepts.
    case issuedTooLongAgo
    /// The key set is not an object with an array `keys` of bearable length.
    case invalidKeySet
    /// The key could not sign; never the fault of a client.
    case signingFailed

    /// A stable, machine-readable name.
    package var reason: String {
        switch self {
        case .tooLarge: "too_large"
        case .notThreeParts: "not_three_parts"
        case .invalidBase64URL(let part): "invalid_base64url_\(part.rawValue)"
        case .missingSignature: "missing_signature"
        case .headerNotJSON(let kind): "header_not_json_\(kind.reason)"
        case .headerNotObject: "header_not_object"
        case .invalidHeaderParameter(let name): "invalid_header_\(name)"
        case .criticalExtension: "critical_extension"
        case .unencodedPayload: "unencoded_payload"
        case .compressed: "compressed"
        case .unsupportedAlgorithm: "unsupported_algorithm"
        case .algorithmNotAllowed: "algorithm_not_allowed"
        case .keyDoesNotFit: "key_does_not_fit"
        case .missingKeyID: "missing_key_id"
        case .unknownKey: "unknown_key"
        case .invalidSignature: "invalid_signature"
        case .unexpectedType: "unexpected_type"
        case .payloadNotJSON(let kind): "payload_not_json_\(kind.reason)"
        case .payloadNotObject: "payload_not_object"
        case .missingClaim(let name): "missing_claim_\(name)"
        case .invalidClaim(let name): "invalid_claim_\(name)"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .issuedInFuture: "issued_in_future"
        case .issuedTooLongAgo: "issued_too_long_ago"
        case .invalidKeySet: "invalid_key_set"
        case .signingFailed: "signing_failed"
        }
    }
}

/// The three parts of a compact JWS (RFC 7515 §7.1).
package enum JWSPart: String, CaseIterable, Sendable {
    case header, payload, signature
}

extension JSONParseError.Kind {
    fileprivate var reason: String {
        switch self {
        case .unexpectedEnd: "unexpected_end"
        case .syntax: "syntax"
        case .depth: "depth"
        case .tooManyValues: "too_many_values"
        case .duplicateMember: "duplicate_member"
        case .invalidUTF8: "invalid_utf8"
        case .loneSurrogate: "lone_surrogate"
        case .tooManyMarks: "too_many_marks"
        case .byteOrderMark: "byte_order_mark"
        case .numberOutOfRange: "number_out_of_range"
        case .trailingBytes: "trailing_bytes"
        }
    }
}
