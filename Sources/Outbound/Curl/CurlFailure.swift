import CCurl

/// Why libcurl refused an option or failed a transfer.
struct CurlFailure: Error {
    enum Kind {
        case timedOut
        /// No TLS, or not with the server that was meant.
        case tls
        case loginDenied
        case tooLarge
        /// By one of our functions.
        case brokenOff
        case other
    }

    let kind: Kind
    /// libcurl's or OpenSSL's; it holds nothing of what was sent.
    let text: String

    init(_ code: CURLcode, _ text: String) {
        kind = Self.kind(code)
        self.text = text
    }

    private static func kind(_ code: CURLcode) -> Kind {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_LOGIN_DENIED: .loginDenied
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: .brokenOff
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
            .tls
        default: .other
        }
    }
}
