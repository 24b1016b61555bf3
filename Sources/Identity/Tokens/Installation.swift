import Crypto

/// What is the same for all access tokens of an installation, so that no record of one has to say it.
package struct Installation: Equatable, Sendable {
    /// The `iss` of its tokens.
    package let issuer: String
    /// Whom its tokens are for, unless a client's are for others.
    package let audience: String
    /// By which a record is known to be of this installation, as it is configured now.
    let mark: [UInt8]

    package static let userInfoPath = "/oauth2/userinfo"
    /// Whom the tokens are for that are good for UserInfo alone.
    package var userInfoAudience: String { issuer + Self.userInfoPath }

    static let markLength = 4

    package init(issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        mark = Array(SHA256.hash("\(issuer)\0\(audience)").bytes.prefix(Self.markLength))
    }
}
