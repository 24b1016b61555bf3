/// What a job does. The raw values are stored. Each kind has one handler (`JobHandler`).
package enum JobKind: String, Sendable, CaseIterable {
    /// Hands a mail to the mail server. Its topic is the kind of mail.
    case mail
    /// Revokes a token at the provider that issued it. Its topic is the provider.
    case providerRevocation = "provider_revocation"
    /// Ends sessions once more that ended with a change of a user's row.
    case sessionEnding = "session_ending"
    /// Ends the tokens that a client got by itself.
    case clientTokenEnding = "client_token_ending"
    /// Tells a client that a session is over (OpenID Connect Back-Channel Logout 1.0 §2.5).
    case backchannelLogout = "backchannel_logout"

    /// The topics that are counted apart.
    package var topics: [String] {
        switch self {
        case .mail: MailKind.allCases.map(\.rawValue)
        case .providerRevocation: [ProviderID.apple, .google].map(\.text)
        case .sessionEnding, .clientTokenEnding, .backchannelLogout: [""]
        }
    }
}
