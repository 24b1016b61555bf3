/// How much of everything is allowed.
package struct LimitSettings: Equatable, Sendable {
    /// By the raw value of their bucket; nil for no limit.
    private var budgets: [Budget?]
    /// Whether anything is limited at all.
    package var isEnforced = true
    /// How long a device is known after its last sign-in. Whole milliseconds.
    package var knownDeviceLifetime: Duration = .seconds(90 * 86_400)
    /// Devices that are known for an account; beyond them the one that signed in longest ago is forgotten.
    package var knownDevices = 20

    /// Accounts at which the sign-ins of one address may fail within ten minutes before that is put on record; zero for any number.
    package var sprayAccounts = 20

    package init() {
        budgets = LimitBucket.allCases.map(\.standard)
    }

    /// The same budget for everything; nil for no limit at all.
    package init(everything budget: Budget?) {
        budgets = LimitBucket.allCases.map { _ in budget }
    }

    package subscript(bucket: LimitBucket) -> Budget? {
        get { budgets[bucket.rawValue] }
        set { budgets[bucket.rawValue] = newValue }
    }
}

/// How often something may be done: so many times at once, and again as many in each period, spread evenly over it.
package struct Budget: Hashable, Sendable {
    /// At least one.
    package let count: Int
    /// Whole milliseconds.
    package let period: Duration

    package init(_ count: Int, per period: Duration) {
        precondition(Self.isPossible(count, per: period), "a budget is of at most one in a millisecond")
        self.count = count
        self.period = period
    }

    /// Whether it allows less in the long run.
    package func isSlower(than other: Budget) -> Bool {
        Double(count) / Double(period.wholeMilliseconds) < Double(other.count) / Double(other.period.wholeMilliseconds)
    }

    /// Whether it is at least one, and no more than one in a millisecond.
    package static func isPossible(_ count: Int, per period: Duration) -> Bool {
        count > 0 && period.wholeMilliseconds >= count
    }
}

extension LimitBucket {
    /// What holds unless the operator says otherwise; `docs/configuration.md` says why.
    var standard: Budget? {
        switch self {
        case .signInAccount: Budget(50, per: .seconds(3600))
        case .signInAccountAddress, .signInKnownDevice: Budget(10, per: .seconds(900))
        case .signInAddress, .providerTokenAddress: Budget(300, per: .seconds(600))
        case .signInIdentity: Budget(30, per: .seconds(3600))
        case .signInDevice: Budget(30, per: .seconds(900))
        case .signUpAccount: Budget(10, per: .seconds(3600))
        case .signUpAddress: Budget(100, per: .seconds(3600))
        case .refreshSession: Budget(60, per: .seconds(60))
        case .refreshAddress: Budget(20_000, per: .seconds(600))
        case .codeAccountAddress: Budget(20, per: .seconds(3600))
        case .codeAddress: Budget(100, per: .seconds(600))
        case .mailRecipient, .mailKnownDevice: Budget(5, per: .seconds(3600))
        case .mailAddress: Budget(100, per: .seconds(3600))
        case .hashAddress: Budget(1200, per: .seconds(600))
        case .hashSite: Budget(4800, per: .seconds(600))
        case .authorizeAddress, .tokenAddress: Budget(3000, per: .seconds(600))
        case .signInClient, .signUpClient, .authorizeClient, .tokenClient: nil
        }
    }
}
