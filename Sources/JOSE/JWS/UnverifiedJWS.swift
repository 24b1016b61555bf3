package import Crypto
import Text

/// A compact JWS (RFC 7515 §7.1) taken apart, whose signature nobody has checked. Its payload cannot be read before that.
package struct UnverifiedJWS: Sendable {
    /// Checked before anything is decoded.
    package static let maximumByteCount = 16 * 1024

    package let header: JWSHeader
    private let payload: [UInt8]
    /// The first two parts as they came.
    private let signingInput: [UInt8]
    private let signature: [UInt8]

    /// The three parts, well-formed; nothing is believed yet.
    /// - Throws: `JOSEError` for anything else, such as a header that asks for what we do not do.
    package static func parse(_ text: String) throws(JOSEError) -> UnverifiedJWS {
        try parse(text.utf8.span)
    }

    /// Refuses everything but three parts of strict base64url with an unambiguous header. Costs at most twice the input.
    package static func parse(_ bytes: Span<UInt8>) throws(JOSEError) -> UnverifiedJWS {
        guard bytes.count <= maximumByteCount else { throw .tooLarge }
        let (first, second) = try dots(in: bytes)
        let header = try JWSHeader(parsing: decode(.header, bytes.extracting(0..<first)))
        let payload = try decode(.payload, bytes.extracting((first + 1)..<second))
        let signature = try decode(.signature, bytes.extracting((second + 1)...))
        guard !signature.isEmpty else { throw .missingSignature }
        let signingInput = [UInt8](capacity: second) { output in
            for index in 0..<second { output.append(bytes[index]) }
        }
        return UnverifiedJWS(header: header, payload: payload, signingInput: signingInput, signature: signature)
    }

    /// Checks the signature with a key that the caller has chosen, never the token.
    ///
    /// The algorithm must be one of those allowed for this use, and the key must be made for it (RFC 8725 §3.1).
    package func verify(with key: JWK, allowing algorithms: [SignatureAlgorithm]) throws(JOSEError) -> VerifiedJWS {
        guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
        guard key.fits(header.algorithm) else { throw .keyDoesNotFit }
        guard key.key.verify(signature, over: signingInput, algorithm: header.algorithm) else { throw .invalidSignature }
        return VerifiedJWS(header: header, payload: payload)
    }

    /// Checks the signature with the one key of the set that the header names. A token without `kid` is refused, even if there
    /// is only one key.
    package func verify(with keys: JWKSet, allowing algorithms: [SignatureAlgorithm]) throws(JOSEError) -> VerifiedJWS {
        guard algorithms.contains(header.algorithm) else { throw .algorithmNotAllowed }
        guard let keyID = header.keyID else { throw .missingKeyID }
        guard let key = keys.key(withID: keyID) else { throw .unknownKey }
        return try verify(with: key, allowing: algorithms)
    }

    /// The places of the two dots; stops at the third.
    private static func dots(in bytes: Span<UInt8>) throws(JOSEError) -> (Int, Int) {
        var places: [Int] = []
        for index in bytes.indices where bytes[index] == UInt8(ascii: ".") {
            guard places.count < 2 else { throw .notThreeParts }
            places.append(index)
        }
        guard places.count == 2 else { throw .notThreeParts }
        return (places[0], places[1])
    }

    private static func decode(_ part: JWSPart, _ text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw .invalidBase64URL(part) }
        return bytes
    }
}
