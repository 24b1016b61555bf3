import Text

/// The audiences whose tokens a client may see (RFC 7662 §4), prepared for a comparison of bytes.
struct VisibleAudiences: Sendable {
    private let texts: [String]
    private let escaped: [ArraySlice<UInt8>]

    init(_ audiences: [String]) {
        texts = audiences
        escaped = audiences.map { AccessTokenRecord.escaped($0) }
    }

    func contains(_ audience: String) -> Bool {
        texts.contains { $0.hasSameBytes(as: audience) }
    }

    func contains(oneOf token: StoredAccessToken, in installation: Installation) -> Bool {
        guard token.audienceCount > 0 else { return contains(installation.audience) }
        var isSeen = false
        token.forEachAudience { range in
            for audience in escaped where audience.count == range.count && audience.elementsEqual(token.bytes[range]) {
                isSeen = true
            }
        }
        return isSeen
    }
}
