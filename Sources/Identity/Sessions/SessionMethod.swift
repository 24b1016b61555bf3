/// How the user proved who they are when a session began.
package enum SessionMethod: Hashable, Sendable {
    case password
    case provider(ProviderID)

    private static let providerPrefix = "provider:"

    /// As it is stored. A provider may be called `password`, so providers have a prefix.
    var stored: String {
        switch self {
        case .password: "password"
        case .provider(let id): Self.providerPrefix + id.text
        }
    }

    /// A record that says nothing is of a time when there was nothing but passwords. One that says something else is of a later
    /// time: no reason to sign anybody out.
    init(stored text: String?) {
        guard let text, text.hasPrefix(Self.providerPrefix),
            let id = ProviderID(String(text.dropFirst(Self.providerPrefix.count)))
        else {
            self = .password
            return
        }
        self = .provider(id)
    }

    /// The provider, if it was one.
    package var provider: ProviderID? {
        switch self {
        case .password: nil
        case .provider(let id): id
        }
    }
}
