package import Text

/// The key that a token is bound to: the member of `cnf` (RFC 7800 §3.1).
package struct KeyConfirmation: Hashable, Sendable {
    /// How the key is named.
    package enum Member: UInt8, Sendable, CaseIterable {
        /// `jkt`: SHA-256 thumbprint of a JWK (RFC 9449 §6.1).
        case jwkThumbprint = 1
        /// `x5t#S256`: SHA-256 of a certificate (RFC 8705 §3.1).
        case certificateThumbprint = 2

        package var name: String {
            switch self {
            case .jwkThumbprint: "jkt"
            case .certificateThumbprint: "x5t#S256"
            }
        }
    }

    package static let byteCount = 32

    package let member: Member
    package let thumbprint: [UInt8]

    /// Nil unless the thumbprint has 32 bytes.
    package init?(_ member: Member, thumbprint: [UInt8]) {
        guard thumbprint.count == Self.byteCount else { return nil }
        self.member = member
        self.thumbprint = thumbprint
    }

    /// As it is stored; empty for none.
    static func stored(_ confirmation: KeyConfirmation?) -> [UInt8] {
        confirmation.map { [$0.member.rawValue] + $0.thumbprint } ?? []
    }

    init?(stored bytes: some Collection<UInt8>) {
        guard let first = bytes.first, let member = Member(rawValue: first) else { return nil }
        self.init(member, thumbprint: Array(bytes.dropFirst()))
    }

    /// The value of `cnf`.
    package var json: JSONValue {
        .object(JSONObject([JSONObject.Member(key: member.name, value: .string(Base64URL.encode(thumbprint)))]))
    }
}
