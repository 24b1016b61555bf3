package import Identity

extension Configuration {
    /// The identity providers whose word counts.
    package struct Federation: Sendable {
        package var apple = IdentityProvider.apple(clientIDs: [])
        package var google = IdentityProvider.google(clientIDs: [])
        /// Those that the operator has named, in that order.
        package var others: [IdentityProvider] = []

        package init() {}

        /// Those that are switched on: each has at least one client id.
        package var providers: [IdentityProvider] {
            ([apple, google] + others).filter { !$0.clientIDs.isEmpty }
        }

        /// The provider of that name, if it is switched on.
        package func provider(_ id: ProviderID) -> IdentityProvider? {
            providers.first { $0.id == id }
        }
    }
}

extension Configuration.Federation {
    /// Where a provider is kept.
    enum Place: Hashable, Sendable {
        case apple
        case google
        /// By its position in the list, which must have it.
        case other(Int)
    }

    subscript(place: Place) -> IdentityProvider {
        get {
            switch place {
            case .apple: apple
            case .google: google
            case .other(let index): others[index]
            }
        }
        set {
            switch place {
            case .apple: apple = newValue
            case .google: google = newValue
            case .other(let index): others[index] = newValue
            }
        }
    }

    /// The names of the others, of which each has settings of its own.
    var names: [ProviderID] {
        get { others.map(\.id) }
        set { others = newValue.map { IdentityProvider(id: $0, issuers: [], keySetURL: "", clientIDs: []) } }
    }
}

extension Configuration {
    /// Where the providers' key sets are.
    var keySetURLs: [ProviderID: String] {
        var urls = federation.providers.map { ($0.id, $0.keySetURL) }
        if federation.provider(.google) != nil, googleEventKeys == .googleEvents {
            urls.append((.googleEvents, providerTokens.googleEventKeysURL))
        }
        return Dictionary(urls) { first, _ in first }
    }
}
