import Identity

extension Settings {
    static let limits = Section(
        title: "Limits",
        settings: [
            Setting(
                "KIDOBAN_LIMITS", \.limits.isEnforced, .flag,
                "Whether anything is limited; `false` is for load tests."),
            budget(
                "SIGN_IN_ACCOUNT", .signInAccount,
                "Sign-ins to one account from unknown addresses and devices."),
            budget("SIGN_IN_ACCOUNT_ADDRESS", .signInAccountAddress, "Sign-ins to one account from one address."),
            budget(
                "SIGN_IN_KNOWN_DEVICE", .signInKnownDevice,
                "Sign-ins to one account from one known device; changes of a password within one session."),
            budget(
                "SIGN_IN_ADDRESS", .signInAddress, "Sign-ins from one address by password."),
            budget("SIGN_IN_DEVICE", .signInDevice, "Sign-ins with one `X-Device-ID`, to whichever account."),
            budget("SIGN_IN_CLIENT", .signInClient, "Sign-ins by password through one client: `app`, `rest-auth`."),
            budget(
                "SIGN_IN_IDENTITY", .signInIdentity,
                "First sign-ins with one identity of a provider."
            ),
            budget("PROVIDER_TOKEN_ADDRESS", .providerTokenAddress, "Providers' tokens and codes from one address."),
            budget("SIGN_UP_ACCOUNT", .signUpAccount, "Sign-ups with one e-mail address."),
            budget(
                "SIGN_UP_ADDRESS", .signUpAddress,
                "Sign-ups from one address, and changes of a username."
            ),
            budget("SIGN_UP_CLIENT", .signUpClient, "Sign-ups through one client."),
            budget("REFRESH_SESSION", .refreshSession, "Refreshes of one client in one session."),
            budget("REFRESH_ADDRESS", .refreshAddress, "Refreshes from one address."),
            budget(
                "CODE_ACCOUNT_ADDRESS", .codeAccountAddress, "Mailed codes for one account from one address."
            ),
            budget("CODE_ADDRESS", .codeAddress, "Mailed codes from one address."),
            budget(
                "MAIL_RECIPIENT", .mailRecipient,
                "Mails of one kind to one recipient, asked for from unknown addresses and devices."),
            budget("MAIL_KNOWN_DEVICE", .mailKnownDevice, "The same from one known address or device."),
            budget("MAIL_ADDRESS", .mailAddress, "Mails asked for from one address."),
            budget(
                "HASH_ADDRESS", .hashAddress,
                "Passwords hashed for one address, right or wrong."),
            budget("HASH_SITE", .hashSite, "The same for one /48 of IPv6."),
            budget(
                "AUTHORIZE_ADDRESS", .authorizeAddress,
                "Authorization requests from one address: of browsers, pushed, of devices, at providers; and registrations."),
            budget("AUTHORIZE_CLIENT", .authorizeClient, "The same for one client, whose name anybody can use."),
            budget(
                "TOKEN_ADDRESS", .tokenAddress,
                "Requests to the token endpoint from one address that get no token. A waiting device does not count."),
            budget("TOKEN_CLIENT", .tokenClient, "All such requests of one client."),
            Setting(
                "KIDOBAN_LIMIT_SPRAY_ACCOUNTS", \.limits.sprayAccounts, .count(0...10_000),
                "Accounts at which sign-ins from one address may fail in ten minutes before an audit event says so; "
                    + "refuses nobody. 0: not watched."),
            Setting(
                "KIDOBAN_LIMIT_KNOWN_DEVICE_LIFETIME", \.limits.knownDeviceLifetime, .duration(.hours(1) ... .days(365)),
                "How long an address or device is known at an account after its last sign-in."),
            Setting(
                "KIDOBAN_LIMIT_KNOWN_DEVICES", \.limits.knownDevices, .count(1...1000),
                "Addresses and devices known at an account; the oldest is forgotten."
            ),
        ]
    ).reloadable

    private static func budget(_ name: String, _ bucket: LimitBucket, _ meaning: String) -> Setting {
        Setting("KIDOBAN_LIMIT_\(name)", \.limits[bucket], .budget, meaning)
    }
}

/// Budgets as people write them: how many in how long, such as `10/15m`, or `off` for no limit.
enum BudgetText {
    static let counts = 1...1_000_000
    static let periods: ClosedRange<Duration> = .seconds(1) ... .seconds(7 * 86_400)

    static func parse(_ text: String) throws(SettingRefusal) -> Budget? {
        guard text != "off" else { return nil }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw SettingRefusal("is neither `off` nor a count, a slash and a duration") }
        let count = try SettingFormat<Int>.count(counts).parse(parts[0])
        let period = try SettingFormat<Duration>.duration(periods).parse(parts[1])
        guard Budget.isPossible(count, per: period) else { throw SettingRefusal("allows more than one in a millisecond") }
        return Budget(count, per: period)
    }

    static func render(_ budget: Budget?) -> String {
        guard let budget else { return "off" }
        return "\(budget.count)/\(DurationText.render(budget.period))"
    }
}

extension SettingFormat where Value == Budget? {
    static var budget: SettingFormat {
        SettingFormat(
            "`off`, or a count and a duration from \(DurationText.render(BudgetText.periods.lowerBound)) to "
                + "\(DurationText.render(BudgetText.periods.upperBound)) such as `10/15m`",
            parse: { text throws(SettingRefusal) in try BudgetText.parse(text) },
            render: { budget, _ in BudgetText.render(budget) })
    }
}
