import Identity

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
