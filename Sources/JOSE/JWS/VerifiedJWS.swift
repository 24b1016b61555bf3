/// A JWS whose signature holds. Whose it is, for whom and until when are for the claims to say.
package struct VerifiedJWS: Sendable {
    package let header: JWSHeader
    package let payload: [UInt8]

    /// Only ``UnverifiedJWS`` makes one.
    init(header: JWSHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }

    /// Throws `unexpectedType` unless `typ` is this media type (RFC 8725 §3.11).
    package func requireType(_ expected: String) throws(JOSEError) {
        guard header.isType(expected) else { throw .unexpectedType }
    }

    /// The same for issuers that may leave `typ` out, as OpenID Connect allows for id tokens.
    package func requireTypeIfPresent(_ expected: String) throws(JOSEError) {
        guard header.type == nil || header.isType(expected) else { throw .unexpectedType }
    }

    /// The payload as the claims of a JWT (RFC 7519).
    package func claims() throws(JOSEError) -> JWTClaims {
        try JWTClaims(payload: payload)
    }
}
