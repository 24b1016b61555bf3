import HTTP
import Identity
import Routing
import Text

/// Where a page leads when it is done: back to the authorization endpoint, with the same request, which is then checked once more.
struct Continuation: Sendable {
    /// In bytes.
    static let maximumLength = 6000
    /// The query parameter of pages that has it.
    static let parameter = "continue"

    /// Relative to the issuer: `/oauth2/authorize?…`.
    let path: String

    /// - Returns: nil for anything that is not of this form, such as an address elsewhere.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.hasPrefix(OpenID.Authorize.path + "?"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\\\"<>#^`{|}".utf8.contains($0) })
        else { return nil }
        path = text
    }

    init(_ fields: [(name: String, value: String)]) {
        path = OpenID.Authorize.path + "?" + PercentEncoding.encode(fields: fields)
    }

    var isTooLong: Bool { path.utf8.count > Self.maximumLength / 2 }

    /// The parameters of the request.
    var fields: [(name: String, value: String)] {
        let query = path.utf8.dropFirst(OpenID.Authorize.path.utf8.count + 1)
        return (try? FormFields(repeating: Array(query)))?.pairs ?? []
    }

    /// The address of a page of ours that leads here.
    /// - Parameter page: its path, such as `/sign-in`.
    func address(of page: String, under issuer: String) -> String {
        "\(LocalAddress.path(of: issuer))\(page)?\(Self.parameter)=\(PercentEncoding.encode(path))"
    }

    /// Its own address, for the redirection that ends a page.
    func address(under issuer: String) -> String {
        LocalAddress.path(of: issuer) + path
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
