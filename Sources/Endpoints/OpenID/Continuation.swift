import Text

/// Where a page leads when it is done: back to the authorization endpoint, with the same request, which is then checked once more.
struct Continuation: Sendable {
    /// In bytes, as it is before it is put into another address.
    private static let maximumLength = 3000

    /// Relative to the issuer: `/oauth2/authorize?…`.
    let path: String

    init(_ fields: [(name: String, value: String)]) {
        path = OpenID.Authorize.path + "?" + PercentEncoding.encode(fields: fields)
    }

    var isTooLong: Bool { path.utf8.count > Self.maximumLength }

    /// The address of a page of ours that leads here.
    /// - Parameter page: its path, such as `/sign-in`.
    func address(of page: String, under issuer: String) -> String {
        "\(LocalAddress.path(of: issuer))\(page)?continue=\(PercentEncoding.encode(path))"
    }
}

/// Addresses on the host that a request came to.
enum LocalAddress {
    /// The path of the issuer, which a proxy takes away again; empty for most.
    static func path(of issuer: String) -> String {
        let rest = issuer.drop { $0 != ":" }.dropFirst(3)
        return String(rest.drop { $0 != "/" })
    }
}
