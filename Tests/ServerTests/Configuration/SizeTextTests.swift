import Testing

@testable import Server

@Suite struct SizeTextTests {
    @Test(arguments: [
        ("0", 0, "0"), ("1", 1, "1"), ("1000", 1000, "1000"), ("8192", 8192, "8KiB"), ("8KiB", 8192, "8KiB"),
        ("1024KiB", 1_048_576, "1MiB"), ("3MiB", 3_145_728, "3MiB"),
    ])
    func `a number of bytes, KiB or MiB is a size`(_ text: String, _ bytes: Int, _ rendered: String) throws {
        #expect(try SizeText.parse(text) == bytes)
        #expect(SizeText.render(bytes) == rendered)
    }

    @Test(arguments: ["", "KiB", "1 KiB", "1kib", "1KB", "1K", "-1", "1.5MiB", "1B"])
    func `anything else is not`(_ text: String) {
        #expect(throws: SettingRefusal.self) { try SizeText.parse(text) }
    }

    @Test(arguments: ["9223372036854775807MiB", "99999999999999999999"])
    func `more than can be counted is the most that can`(_ text: String) throws {
        #expect(try SizeText.parse(text) == .max)
    }
}
