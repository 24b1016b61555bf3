package import Crypto
package import JOSE
package import Text

/// Why an id token proves nothing. For the audit log and `kidoban explain`: the caller only learns that it does not.
package enum IDTokenRefusal: Error, Equatable, Sendable {
    /// No token that can be read, or whose signature holds: what RFC 7515 and RFC 7519 ask of every token.
    case unacceptable(JOSEError)
    /// An algorithm that we know and that is not the provider's.
    case algorithm(SignatureAlgorithm, accepted: [SignatureAlgorithm])
    /// The provider has no such key.
    case unknownKey(keyID: String)
    case issuer(String, accepted: [String])
    case audience([String], accepted: [String])
    case presenter(String, accepted: [String])
    /// For several audiences without saying who may present it.
    case noPresenter(audience: [String])
    case expired(at: Timestamp, now: Timestamp)
    case notYetValid(until: Timestamp, now: Timestamp)
    case issuedInFuture(at: Timestamp, now: Timestamp)
    case issuedTooLongAgo(at: Timestamp, now: Timestamp)
    case nonce(NonceProblem)
    /// Of somebody else than the request says.
    case otherSubject
    /// The access token that came along is not the one that it was issued with.
    case otherAccessToken
    /// The same of an authorization code.
    case otherCode
    /// It has been used to sign in before.
    case replayed
    /// The provider was asked about an access token or an authorization code, and takes it for none.
    case refusedByProvider(ProviderCallFailure.OAuthCode)
    /// An authorization code alone, and no secret with which it could be exchanged.
    case codesNotExchanged

    package enum NonceProblem: Equatable, Sendable {
        /// The provider's rule demands one, and the request has none.
        case notSent
        /// A web page presents the token, and neither has one.
        case notSentByPage
        /// The request has one, the token has none.
        case notInToken
        /// The token has one, the request has none.
        case notExpected
        case differs
    }

    /// A stable, machine-readable name.
    package var reason: String {
        switch self {
        case .unacceptable(let error): error.reason
        case .algorithm: "algorithm_not_allowed"
        case .unknownKey: "unknown_key"
        case .issuer: "wrong_issuer"
        case .audience: "wrong_audience"
        case .presenter: "wrong_presenter"
        case .noPresenter: "missing_presenter"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .issuedInFuture: "issued_in_future"
        case .issuedTooLongAgo: "issued_too_long_ago"
        case .nonce(.notSent): "nonce_not_sent"
        case .nonce(.notSentByPage): "nonce_not_sent_by_page"
        case .nonce(.notInToken): "nonce_not_in_token"
        case .nonce(.notExpected): "nonce_not_expected"
        case .nonce(.differs): "nonce_differs"
        case .otherSubject: "other_subject"
        case .otherAccessToken: "wrong_access_token_hash"
        case .otherCode: "wrong_code_hash"
        case .replayed: "replayed"
        case .refusedByProvider: "refused_by_provider"
        case .codesNotExchanged: "codes_not_exchanged"
        }
    }

    /// What the token says and what it would have to say, for the operator. What comes from the token is cut and escaped.
    package var explanation: String {
        switch self {
        case .unacceptable(let error): error.explanation
        case .algorithm(let algorithm, let accepted):
            "alg is \(algorithm.rawValue), accepted are \(Self.shown(accepted.map(\.rawValue)))"
        case .unknownKey(let keyID): "kid is \(Self.shown(keyID)), and the provider has no such key"
        case .issuer(let issuer, let accepted): "iss is \(Self.shown(issuer)), accepted are \(Self.shown(accepted))"
        case .audience(let audience, let accepted): "aud is \(Self.shown(audience)), configured are \(Self.shown(accepted))"
        case .presenter(let presenter, let accepted): "azp is \(Self.shown(presenter)), configured are \(Self.shown(accepted))"
        case .noPresenter(let audience): "aud is \(Self.shown(audience)), and without azp nobody says who may present it"
        case .expired(let time, let now): "exp is \(time.iso8601), and it is \(now.iso8601)"
        case .notYetValid(let time, let now): "nbf is \(time.iso8601), and it is \(now.iso8601)"
        case .issuedInFuture(let time, let now), .issuedTooLongAgo(let time, let now):
            "iat is \(time.iso8601), and it is \(now.iso8601)"
        case .nonce(.notSent): "the request has no nonce, and this provider's rule demands one"
        case .nonce(.notSentByPage): "a web page presents the token, and there is no nonce that ties it to this browser"
        case .nonce(.notInToken): "the request has a nonce, and the token has none"
        case .nonce(.notExpected): "the token has a nonce, and the request has none"
        case .nonce(.differs): "nonce is not what the request has, as the provider's rule wants it"
        case .otherSubject: "sub is not the id of the user that the request has"
        case .otherAccessToken: "at_hash is not that of the access token in the request"
        case .otherCode: "c_hash is not that of the code in the request"
        case .replayed: "the token has been used before"
        case .refusedByProvider(let code): "the provider was asked, and answered \(code.rawValue)"
        case .codesNotExchanged:
            "there is a code and no id token, and codes of this provider cannot be exchanged: no secret is set"
        }
    }

    private static let longestShown = 120
    private static let mostShown = 8

    private static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(escaping: String(text.unicodeScalars.prefix(longestShown)), .readable)
        let isCut = text.unicodeScalars.count > longestShown
        return String(decoding: bytes, as: UTF8.self) + (isCut ? "…" : "")
    }

    private static func shown(_ texts: [String]) -> String {
        let list = texts.prefix(mostShown).map { shown($0) } + (texts.count > mostShown ? ["…"] : [])
        return list.isEmpty ? "none" : list.joined(separator: ", ")
    }
}

extension JOSEError {
    /// The same as ``reason`` in words.
    var explanation: String {
        switch self {
        case .tooLarge: "the token is larger than \(UnverifiedJWS.maximumByteCount) bytes"
        case .notThreeParts: "the token does not have three parts"
        case .invalidBase64URL(let part): "the \(part.rawValue) is not strict base64url"
        case .missingSignature: "the signature is empty"
        case .headerNotJSON, .headerNotObject: "the header is not an unambiguous JSON object (\(reason))"
        case .invalidHeaderParameter(let name): "\(name) in the header is missing or not a string of bearable length"
        case .criticalExtension: "the header has crit"
        case .unencodedPayload: "the header has b64"
        case .compressed: "the header has zip"
        case .unsupportedAlgorithm: "alg is none, symmetric or unknown"
        case .algorithmNotAllowed: "alg is not among those of the provider"
        case .keyDoesNotFit: "the key that kid names is not for this alg"
        case .missingKeyID: "the header has no kid"
        case .unknownKey: "there is no key of that kid"
        case .invalidSignature: "the signature is not of the provider's key"
        case .unexpectedType: "typ is not JWT"
        case .payloadNotJSON, .payloadNotObject: "the payload is not an unambiguous JSON object (\(reason))"
        case .missingClaim(let name): "\(name) is missing"
        case .invalidClaim(let name): "\(name) is of a wrong type, empty, too long or out of range"
        case .expired, .notYetValid, .issuedInFuture, .issuedTooLongAgo: "the times do not fit (\(reason))"
        case .invalidKeySet, .signingFailed: reason
        }
    }
}
