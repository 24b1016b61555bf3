extension LimitBucket {
    /// What holds unless the operator says otherwise; `docs/configuration.md` says why.
    var standard: Budget? {
        switch self {
        case .signInAccount: Budget(50, per: .seconds(3600))
        case .signInAccountAddress, .signInKnownDevice: Budget(10, per: .seconds(900))
        case .signInAddress, .proofAddress: Budget(300, per: .seconds(600))
        case .signInIdentity: Budget(30, per: .seconds(3600))
        case .signInDevice: Budget(30, per: .seconds(900))
        case .signUpAccount: Budget(10, per: .seconds(3600))
        case .signUpAddress: Budget(100, per: .seconds(3600))
        case .refreshSession: Budget(60, per: .seconds(60))
        case .refreshAddress: Budget(20_000, per: .seconds(600))
        case .codeAccountAddress: Budget(20, per: .seconds(3600))
        case .codeAddress: Budget(100, per: .seconds(600))
        case .mailRecipient: Budget(5, per: .seconds(3600))
        case .mailAddress: Budget(100, per: .seconds(3600))
        case .hashAddress: Budget(1200, per: .seconds(600))
        case .hashSite: Budget(4800, per: .seconds(600))
        case .authorizeAddress, .tokenAddress: Budget(3000, per: .seconds(600))
        case .signInClient, .signUpClient, .authorizeClient, .tokenClient: nil
        }
    }
}
