import Routing
import Text

/// Where a browser goes on when somebody has acted on a page of ours: a path of ours and nothing else, whoever has written it.
package struct Continuation: Equatable, Sendable, CustomStringConvertible {
    /// In bytes. An authorization request that is longer has to be pushed (RFC 9126).
    package static let maximumLength = 8000

    /// The pages that something may go on with.
    private static let paths: Set<String> = ["/oauth2/authorize", "/account", "/device", "/consent"]

    /// As it stands in `Location`: a path, and perhaps a query.
    package let text: String

    package static let account = Continuation(known: "/account")

    private init(known text: String) {
        self.text = text
    }

    /// Nil for anything but a known path with a query of visible ASCII. Nothing is decoded or resolved, so that no browser understands it as
    /// something else: no second slash or backslash at the beginning, no scheme, no control character.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "#") }),
            Self.paths.contains(String(text.prefix { $0 != "?" }))
        else { return nil }
        self.text = text
    }

    /// The path without the query.
    package var path: Substring { text.prefix { $0 != "?" } }

    /// What follows the `?`, as it came.
    package var query: Substring { text.drop { $0 != "?" }.dropFirst() }

    package var description: String { text }

    /// A page of ours that leads there when it is done.
    package func location(via page: StaticString) -> String {
        "\(page)?continue=\(PercentEncoding.encode(text))"
    }
}
