/// How the user proved who they are when a session began.
package enum SessionMethod: Hashable, Sendable {
    case password
    case provider(ProviderID)
    /// One of a later version, which only it understands. Kept as it is stored: whoever asks for a password gets no for an answer.
    case unknown(String)

    private static let providerPrefix = "provider:"

    /// As it is stored. A provider may be called `password`, so providers have a prefix.
    var stored: String {
        switch self {
        case .password: "password"
        case .provider(let id): Self.providerPrefix + id.text
        case .unknown(let text): text
        }
    }

    /// A record that says nothing is of a time when there was nothing but passwords.
    init(stored text: String?) {
        switch text {
        case nil, "password"?: self = .password
        case let text?:
            let provider =
                text.hasPrefix(Self.providerPrefix) ? ProviderID(String(text.dropFirst(Self.providerPrefix.count))) : nil
            self = provider.map { .provider($0) } ?? .unknown(text)
        }
    }

    /// The provider, if it was one.
    package var provider: ProviderID? {
        switch self {
        case .password, .unknown: nil
        case .provider(let id): id
        }
    }
}
