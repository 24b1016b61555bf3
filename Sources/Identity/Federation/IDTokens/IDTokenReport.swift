import JOSE
package import Text

/// What each check says of a token, for people: unlike a verification it goes on after the first claim that is wrong.
package struct IDTokenReport: Sendable {
    package enum Verdict: Equatable, Sendable {
        case holds
        case fails(reason: String, explanation: String)
        /// Because of an earlier failure there is nothing to look at.
        case notMade
    }

    /// In their order, all of them.
    package let verdicts: [(check: IDTokenCheck, verdict: Verdict)]

    /// - Parameter key: asks for a key of the provider by its name.
    package init(
        _ token: SecretString, from provider: IdentityProvider, nonce: SecretString?, now: Timestamp,
        key: (_ keyID: String) -> KeySetLookup
    ) {
        var found: [IDTokenCheck: Verdict] = [:]
        do throws(IDTokenRefusal) {
            let verification = try IDTokenVerification(token, from: provider)
            switch key(verification.keyID) {
            case .unavailable:
                found[.key] = .fails(reason: "unavailable", explanation: "the provider's keys cannot be had")
            case .unknownKey: throw .unknownKey(keyID: verification.keyID)
            case .key(let key):
                let statement = try verification.statement(signedWith: key, nonce: nonce, now: now)
                for check in IDTokenCheck.ofClaims { found[check] = Self.verdict(of: check, on: statement) }
            }
        } catch {
            found[error.check] = .fails(reason: error.reason, explanation: error.explanation)
        }
        let goesOn = IDTokenCheck.ofClaims.allSatisfy { found[$0] != nil }
        let stop = goesOn ? nil : IDTokenCheck.allCases.first { found[$0] != nil }
        var isBeyond = false
        verdicts = IDTokenCheck.allCases.map { check in
            if check == stop { isBeyond = true }
            return (check, found[check] ?? (isBeyond ? .notMade : .holds))
        }
    }

    package var isGood: Bool {
        verdicts.allSatisfy { $0.verdict == .holds }
    }

    private static func verdict(of check: IDTokenCheck, on statement: IDTokenStatement) -> Verdict {
        do throws(IDTokenRefusal) {
            try statement.hold(check)
            return .holds
        } catch {
            return .fails(reason: error.reason, explanation: error.explanation)
        }
    }
}

extension IDTokenRefusal {
    /// Which check it failed.
    package var check: IDTokenCheck {
        switch self {
        case .unacceptable(let error): error.check
        case .algorithm: .algorithm
        case .unknownKey: .key
        case .issuer: .issuer
        case .audience: .audience
        case .presenter, .noPresenter: .presenter
        case .expired, .notYetValid, .issuedInFuture, .issuedTooLongAgo: .times
        case .nonce: .nonce
        // A request's own word, which this list does not have.
        case .otherSubject, .otherAccessToken, .otherCode: .subject
        // Asked when all else holds, and not by this list.
        case .replayed: .nonce
        // Never said of an id token.
        case .refusedByProvider, .codesNotExchanged: .form
        }
    }
}

extension JOSEError {
    fileprivate var check: IDTokenCheck {
        switch self {
        case .tooLarge, .notThreeParts, .invalidBase64URL, .missingSignature, .headerNotJSON, .headerNotObject,
            .criticalExtension,
            .unencodedPayload, .compressed:
            .form
        case .invalidHeaderParameter("alg"), .unsupportedAlgorithm, .algorithmNotAllowed: .algorithm
        case .invalidHeaderParameter("kid"), .missingKeyID, .unknownKey, .keyDoesNotFit: .key
        case .invalidHeaderParameter: .form
        case .invalidSignature: .signature
        case .unexpectedType: .type
        case .payloadNotJSON, .payloadNotObject, .missingClaim, .invalidClaim: .payload
        case .expired, .notYetValid, .issuedInFuture, .issuedTooLongAgo: .times
        case .invalidKeySet, .signingFailed: .key
        }
    }
}
