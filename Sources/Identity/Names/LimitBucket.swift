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
    case session
    case recipient

    /// Whether the number that is left is the caller's own affair. What others do to an account or with a client is not told.
    var isOwn: Bool {
        switch self {
        case .accountAddress, .knownDevice, .address, .device, .session: true
        case .account, .client, .recipient: false
        }
    }
}

/// A budget that can be set: one kind of one purpose.
package enum LimitBucket: Int, Sendable, CaseIterable {
    case signInAccount, signInAccountAddress, signInKnownDevice, signInAddress, signInDevice, signInClient
    case signUpAccount, signUpAddress, signUpClient
    case refreshSession, refreshAddress
    case codeAccount, codeAddress
    case mailRecipient, mailAddress

    package var purpose: LimitPurpose {
        switch self {
        case .signInAccount, .signInAccountAddress, .signInKnownDevice, .signInAddress, .signInDevice, .signInClient: .signIn
        case .signUpAccount, .signUpAddress, .signUpClient: .signUp
        case .refreshSession, .refreshAddress: .refresh
        case .codeAccount, .codeAddress: .code
        case .mailRecipient, .mailAddress: .mail
        }
    }

    package var kind: LimitKind {
        switch self {
        case .signInAccount, .signUpAccount, .codeAccount: .account
        case .signInAccountAddress: .accountAddress
        case .signInKnownDevice: .knownDevice
        case .signInAddress, .signUpAddress, .refreshAddress, .codeAddress, .mailAddress: .address
        case .signInDevice: .device
        case .signInClient, .signUpClient: .client
        case .refreshSession: .session
        case .mailRecipient: .recipient
        }
    }

    /// As keys, labels and audit events have it.
    package var name: String { "\(purpose.rawValue):\(kind.rawValue)" }
}
