import Identity
import Testing

@testable import Server

@Suite struct BudgetTextTests {
    @Test(arguments: [
        ("10/15m", 10, 900_000), ("1/1s", 1, 1000), ("1000000/7d", 1_000_000, 604_800_000), ("5/1500ms", 5, 1500),
    ])
    func `a count, a slash and a duration make a budget`(_ text: String, _ count: Int, _ milliseconds: Int) throws {
        let budget = try #require(try BudgetText.parse(text))
        #expect(budget == Budget(count, per: .milliseconds(milliseconds)))
        #expect(BudgetText.render(budget) == text)
    }

    @Test func `off is no budget`() throws {
        #expect(try BudgetText.parse("off") == nil)
        #expect(BudgetText.render(nil) == "off")
    }

    @Test(arguments: [
        "", "10", "/", "10/", "/15m", "0/15m", "-1/15m", "+1/15m", "1.5/15m", "10/15", "10/0s", "10/999ms", "10/8d", "10/15m/2",
        "10 / 15m", "OFF", "10x15m", "1000001/1d", "99999999999999999999/1d", "1001/1s", "ten/15m",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: SettingRefusal.self) { try BudgetText.parse(text) }
    }
}
