import Routing
import Text

/// Where a browser goes on when somebody has acted on a page of ours: a path of ours and nothing else, whoever has written it.
struct Destination: Equatable, Sendable {
    /// In bytes; the authorization endpoint pushes a request that would be longer.
    static let maximumLength = 7000

    /// The pages that something may go on with.
    private static let paths: Set<String> = ["/oauth2/authorize", "/account", "/device"]

    static let account = Destination(known: "/account")
    static let device = Destination(known: "/device")

    /// A path, and perhaps a query, relative to the issuer.
    let text: String

    private init(known text: String) {
        self.text = text
    }

    /// Nil for anything but a known path with a query of visible ASCII. Nothing is decoded or resolved, so that no browser understands it as
    /// something else: no second slash or backslash at the beginning, no scheme, no control character.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\\\"<>#^`{|}".utf8.contains($0) }),
            Self.paths.contains(String(text.prefix { $0 != "?" }))
        else { return nil }
        self.text = text
    }

    /// Whether a client waits there.
    var isAuthorization: Bool { text.hasPrefix("/oauth2/authorize?") }

    /// The fields of the query.
    var fields: FormFields? {
        try? FormFields(withRepetitions: Array(text.drop { $0 != "?" }.dropFirst().utf8))
    }

    /// A page of ours that leads there when it is done.
    func location(via page: StaticString) -> String {
        self == .account ? page.description : "\(page)?continue=\(PercentEncoding.encode(text))"
    }
}
