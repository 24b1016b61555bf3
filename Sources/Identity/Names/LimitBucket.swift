/// What is limited.
package enum LimitPurpose: String, Sendable, CaseIterable {
    /// By password or by a provider's proof, and whatever else asks for a password.
    case signIn = "sign_in"
    case signUp = "sign_up"
    case refresh
    /// Presenting a code from a mail.
    case code
    /// Asking for a mail.
    case mail
    /// Showing a provider's token or code.
    case providerToken = "provider_token"
    /// Having a password hashed, whether it is the right one or not.
    case hash
    /// Asking for an authorization: by a browser, pushed by a client, for a device.
    case authorize
    /// Asking the token endpoint.
    case token
}

/// Whose attempts are counted together. The raw values are part of keys and labels.
package enum LimitKind: String, Sendable, CaseIterable {
    /// All attempts at one account, from wherever.
    case account
    /// Those of one address at one account.
    case accountAddress = "account_address"
    /// Those of one known device at one account.
    case knownDevice = "known_device"
    /// IPv4 by address, IPv6 by /64.
    case address
    case device
    case client
    /// IPv6 by /48.
    case site
    case session
    case recipient
    /// All that is done with one identity at a provider.
    case identity

    /// Whether the number that is left is the caller's own affair. What others do to an account or with a client is not told.
    var isOwn: Bool {
        switch self {
        case .accountAddress, .knownDevice, .address, .device, .site, .session, .identity: true
        case .account, .client, .recipient: false
        }
    }
}

/// A budget that can be set: one kind of one purpose.
package enum LimitBucket: Int, Sendable, CaseIterable {
    case signInAccount, signInAccountAddress, signInKnownDevice, signInAddress, signInDevice, signInClient, signInIdentity
    case providerTokenAddress
    case signUpAccount, signUpAddress, signUpClient
    case refreshSession, refreshAddress
    case codeAccountAddress, codeAddress
    case mailRecipient, mailKnownDevice, mailAddress
    case hashAddress, hashSite
    case authorizeAddress, authorizeClient
    case tokenAddress, tokenClient

    package var purpose: LimitPurpose {
        switch self {
        case .signInAccount, .signInAccountAddress, .signInKnownDevice, .signInAddress, .signInDevice, .signInClient,
            .signInIdentity:
            .signIn
        case .providerTokenAddress: .providerToken
        case .signUpAccount, .signUpAddress, .signUpClient: .signUp
        case .refreshSession, .refreshAddress: .refresh
        case .codeAccountAddress, .codeAddress: .code
        case .mailRecipient, .mailKnownDevice, .mailAddress: .mail
        case .hashAddress, .hashSite: .hash
        case .authorizeAddress, .authorizeClient: .authorize
        case .tokenAddress, .tokenClient: .token
        }
    }

    package var kind: LimitKind {
        switch self {
        case .signInAccount, .signUpAccount: .account
        case .signInAccountAddress, .codeAccountAddress: .accountAddress
        case .signInKnownDevice, .mailKnownDevice: .knownDevice
        case .signInAddress, .providerTokenAddress, .signUpAddress, .refreshAddress, .codeAddress, .mailAddress, .hashAddress,
            .authorizeAddress, .tokenAddress:
            .address
        case .hashSite: .site
        case .signInIdentity: .identity
        case .signInDevice: .device
        case .signInClient, .signUpClient, .authorizeClient, .tokenClient: .client
        case .refreshSession: .session
        case .mailRecipient: .recipient
        }
    }

    /// Whether a success gives it back. Work that has been done for a success is done.
    package var isRefunded: Bool { purpose != .hash }

    /// As keys, labels and audit events have it.
    package var name: String { "\(purpose.rawValue):\(kind.rawValue)" }
}
