package import Crypto
package import JOSE
package import Text

/// What a provider tells us at once, out of a token that has been verified.
package struct ProviderNotice: Equatable, Sendable {
    /// Something that happened, and whom it concerns; nobody in a test, or when only a token is named.
    package struct Occurrence: Equatable, Sendable {
        package let event: ProviderEvent
        package let subject: String?
        /// When it happened, as the provider says it; nil if it does not.
        package let time: Timestamp?

        package init(_ event: ProviderEvent, subject: String?, at time: Timestamp? = nil) {
            self.event = event
            self.subject = subject
            self.time = time
        }
    }

    /// By which it is recognised when it comes again.
    package let digest: Digest
    package let issuedAt: Timestamp
    package let occurrences: [Occurrence]

    /// How long before its notice an event may have been; one of earlier is taken to be of the notice's time.
    private static let longestDelay: Duration = .seconds(7 * 86_400)

    /// When something happened: never after the notice, and not long before it, whatever the provider says.
    func time(of occurrence: Occurrence) -> Timestamp {
        guard let time = occurrence.time, time <= issuedAt, issuedAt.duration(since: time) <= Self.longestDelay else {
            return issuedAt
        }
        return time
    }

    /// One of Apple's: `events` is one event, in practice as a string of JSON.
    package init(apple claims: JWTClaims, token: String) throws(NoticeRefusal) {
        let events: JSONValue?
        switch claims["events"] {
        case .string(let text): events = try? JSON.parse(text)
        case let other: events = other
        }
        guard let event = events?.objectValue else { throw .claim("events") }
        let occurrence = Occurrence(
            try Self.appleEvent(event), subject: try Self.subject(event["sub"]), at: Self.appleTime(event))
        try self.init(claims, token, [occurrence])
    }

    /// One of Google's, a security event token (RFC 8417 §2): `events` has one member for each event, named by its URI.
    package init(google claims: JWTClaims, token: String, issuers: [String]) throws(NoticeRefusal) {
        guard let events = claims["events"]?.objectValue, !events.isEmpty else { throw .claim("events") }
        var occurrences: [Occurrence] = []
        for member in events.members {
            guard let payload = member.value.objectValue else { throw .claim("events") }
            occurrences.append(
                Occurrence(
                    Self.googleEvent(member.key, payload), subject: try Self.googleSubject(payload["subject"], issuers),
                    at: Self.time(claims["toe"])))
        }
        try self.init(claims, token, occurrences)
    }

    private init(_ claims: JWTClaims, _ token: String, _ occurrences: [Occurrence]) throws(NoticeRefusal) {
        guard let issuer = claims.issuer, let issuedAt = claims.issuedAt else { throw .claim("iss") }
        // Without a name of its own it is recognised by all that it says.
        digest = SHA256.hash(claims.jwtID.map { "jti \(issuer) \($0)" } ?? "token \(token)")
        self.issuedAt = issuedAt
        self.occurrences = occurrences
    }

    private static func appleEvent(_ event: JSONObject) throws(NoticeRefusal) -> ProviderEvent {
        guard let type = event["type"]?.stringValue else { throw .claim("events.type") }
        let time = appleTime(event)
        return switch type {
        case "email-enabled": .mailForwarding(isOn: true, at: time)
        case "email-disabled": .mailForwarding(isOn: false, at: time)
        case "consent-revoked": .consentRevoked
        case "account-deleted", "account-delete": .accountDeleted
        default: .unknown
        }
    }

    /// Seconds as a NumericDate has them (RFC 8417 §2.2, `toe`).
    private static func time(_ value: JSONValue?) -> Timestamp? {
        value?.integerValue.flatMap { (0...253_402_300_799).contains($0) ? Timestamp(seconds: $0) : nil }
    }

    private static func appleTime(_ event: JSONObject) -> Timestamp? {
        event["event_time"]?.integerValue.map { Timestamp(milliseconds: $0) }
    }

    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"
    private static let oauth = "https://schemas.openid.net/secevent/oauth/event-type/"

    private static func googleEvent(_ name: String, _ payload: JSONObject) -> ProviderEvent {
        switch name {
        case risc + "sessions-revoked": .sessionsRevoked
        case oauth + "tokens-revoked": .tokensRevoked
        case oauth + "token-revoked": .tokenRevoked
        case risc + "account-disabled": .accountDisabled(disabling(payload["reason"]?.stringValue))
        case risc + "account-enabled": .accountEnabled
        case risc + "account-credential-change-required": .credentialChangeRequired
        case risc + "verification": .verification(state: payload["state"]?.stringValue)
        default: .unknown
        }
    }

    private static func disabling(_ reason: String?) -> ProviderEvent.Disabling {
        switch reason {
        case "hijacking": .hijacking
        case "bulk-account": .bulkAccount
        default: .unspecified
        }
    }

    /// The person, if one is meant and is one of this provider's.
    private static func googleSubject(_ value: JSONValue?, _ issuers: [String]) throws(NoticeRefusal) -> String? {
        guard let value else { return nil }
        guard let subject = value.objectValue else { throw .claim("subject") }
        switch subject["subject_type"]?.stringValue {
        case "iss-sub", "iss_sub", "id_token_claims", "id-token-claims":
            guard let issuer = subject["iss"]?.stringValue, issuers.contains(issuer) else { throw .claim("subject.iss") }
            return try Self.subject(subject["sub"])
        default: return nil
        }
    }

    private static func subject(_ value: JSONValue?) throws(NoticeRefusal) -> String {
        guard let subject = value?.stringValue, (1...JWTClaims.maximumSubjectByteCount).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .claim("sub") }
        return subject
    }
}
