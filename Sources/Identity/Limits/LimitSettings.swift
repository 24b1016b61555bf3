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
