package import JOSE

/// What is known of a key that a token names.
package enum KeySetLookup: Sendable {
    case key(JWK)
    /// The provider's keys are known, and this is none of them.
    case unknownKey
    /// The provider's keys cannot be had now: nobody can say whether the key is good.
    case unavailable(retryAfter: Duration)
}
