/// Why a request is answered without an endpoint, for the API to put into its own words.
package enum RequestFailure: Error, Equatable, Sendable {
    case notFound
    /// The path has other methods, sorted by name.
    case methodNotAllowed(allow: [Method])
    case unsupportedMediaType
    case payloadTooLarge
    /// The bytes are not a request; the connection closes after the answer.
    case malformed(HTTPParseError)
    /// The request did not arrive in time; the connection closes after the answer.
    case timeout
    /// Overloaded, or a store is down; the client should come back after so long.
    case unavailable(retryAfter: Duration)
    case internalError

    /// The failure that a parse error is to a client.
    package init(_ error: HTTPParseError) {
        switch error {
        case .bodyTooLarge: self = .payloadTooLarge
        case .connectMethod: self = .methodNotAllowed(allow: [])
        case .malformedRequestLine, .malformedMethod, .malformedTarget, .malformedLineEnding, .malformedFieldName,
            .malformedFieldValue, .malformedHost, .missingHost, .repeatedField, .mismatchedAuthority, .malformedConnection,
            .malformedContentLength, .malformedTransferEncoding, .conflictingFraming, .transferEncodingBeforeHTTP11,
            .malformedChunkSize, .malformedChunkExtension, .chunkExtensionTooLong, .malformedChunkEnd, .forbiddenTrailer,
            .trailersTooLarge, .requestLineTooLong, .unsupportedExpectation, .headerSectionTooLarge, .tooManyFields,
            .unsupportedTransferCoding, .unsupportedVersion:
            self = .malformed(error)
        }
    }

    package var status: Status {
        switch self {
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType: .unsupportedMediaType
        case .payloadTooLarge: .contentTooLarge
        case .malformed(let error): error.status
        case .timeout: .requestTimeout
        case .unavailable: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }

    /// One sentence that may be shown to anyone.
    package var reason: StaticString {
        switch self {
        case .notFound: "there is nothing here"
        case .methodNotAllowed: "the method is not allowed here"
        case .unsupportedMediaType: "the content type is not supported here"
        case .payloadTooLarge: HTTPParseError.bodyTooLarge.reason
        case .malformed(let error): error.reason
        case .timeout: "the request did not arrive in time"
        case .unavailable: "the service is not available right now"
        case .internalError: "something went wrong"
        }
    }
}
