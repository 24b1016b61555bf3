/// Why a request cannot be read on. After any of these the boundary of the next request is unknown or untrusted, so the
/// connection answers once and closes. No case carries input, so that none is ever echoed or logged.
package enum HTTPParseError: Error, Hashable, CaseIterable, Sendable {
    case malformedRequestLine
    case malformedMethod
    case malformedTarget
    case malformedLineEnding
    case malformedFieldName
    case malformedFieldValue
    case malformedHost
    case missingHost
    case repeatedField
    case mismatchedAuthority
    case malformedConnection
    case malformedContentLength
    case malformedTransferEncoding
    case conflictingFraming
    case transferEncodingBeforeHTTP11
    case malformedChunkSize
    case malformedChunkExtension
    case chunkExtensionTooLong
    case malformedChunkEnd
    case forbiddenTrailer
    case trailersTooLarge
    case connectMethod
    case bodyTooLarge
    case requestLineTooLong
    case unsupportedExpectation
    case headerSectionTooLarge
    case tooManyFields
    case unsupportedTransferCoding
    case unsupportedVersion

    package var status: Status {
        switch self {
        case .malformedRequestLine, .malformedMethod, .malformedTarget, .malformedLineEnding, .malformedFieldName,
            .malformedFieldValue, .malformedHost, .missingHost, .repeatedField, .mismatchedAuthority, .malformedConnection,
            .malformedContentLength, .malformedTransferEncoding, .conflictingFraming, .transferEncodingBeforeHTTP11,
            .malformedChunkSize, .malformedChunkExtension, .chunkExtensionTooLong, .malformedChunkEnd,
            .forbiddenTrailer, .trailersTooLarge:
            .badRequest
        case .connectMethod: .methodNotAllowed
        case .bodyTooLarge: .contentTooLarge
        case .requestLineTooLong: .uriTooLong
        case .unsupportedExpectation: .expectationFailed
        case .headerSectionTooLarge, .tooManyFields: .headerFieldsTooLarge
        case .unsupportedTransferCoding: .notImplemented
        case .unsupportedVersion: .versionNotSupported
        }
    }

    /// One sentence for the client and the log.
    package var reason: StaticString {
        switch self {
        case .malformedRequestLine: "the request line is malformed"
        case .malformedMethod: "the method is malformed"
        case .malformedTarget: "the request target is malformed"
        case .malformedLineEnding: "a line does not end in CR LF"
        case .malformedFieldName: "a field name is malformed"
        case .malformedFieldValue: "a field value is malformed"
        case .malformedHost: "the Host field is malformed"
        case .missingHost: "the Host field is missing"
        case .repeatedField: "a field that may appear once is repeated"
        case .mismatchedAuthority: "the request target and the Host field name different hosts"
        case .malformedConnection: "the Connection field is malformed"
        case .malformedContentLength: "the Content-Length field is malformed"
        case .malformedTransferEncoding: "the Transfer-Encoding field is malformed"
        case .conflictingFraming: "Content-Length and Transfer-Encoding exclude each other"
        case .transferEncodingBeforeHTTP11: "Transfer-Encoding needs HTTP/1.1"
        case .malformedChunkSize: "a chunk size is malformed"
        case .malformedChunkExtension: "a chunk extension is malformed"
        case .chunkExtensionTooLong: "the chunk extensions are too long"
        case .malformedChunkEnd: "a chunk does not end in CR LF"
        case .forbiddenTrailer: "a field is not allowed as a trailer"
        case .trailersTooLarge: "the trailer section is too large"
        case .connectMethod: "CONNECT is not offered"
        case .bodyTooLarge: "the body is too large"
        case .requestLineTooLong: "the request line is too long"
        case .unsupportedExpectation: "the expectation cannot be met"
        case .headerSectionTooLarge: "the header section is too large"
        case .tooManyFields: "the request has too many fields"
        case .unsupportedTransferCoding: "the transfer coding is not supported"
        case .unsupportedVersion: "only HTTP/1.0 and HTTP/1.1 are spoken"
        }
    }
}
