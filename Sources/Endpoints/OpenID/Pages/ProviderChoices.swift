import Identity

/// A provider that somebody can sign in with on our pages.
struct ProviderChoice: Sendable {
    let id: ProviderID
    /// What people call it.
    let name: String
}

extension SignInPages.Parts {
    /// Those whose authorization codes we can exchange.
    var providerChoices: [ProviderChoice] { [] }
}
