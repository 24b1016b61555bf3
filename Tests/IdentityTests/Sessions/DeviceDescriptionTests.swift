import Identity
import Testing

@Suite struct DeviceDescriptionTests {
    @Test func `ordinary text stays`() {
        #expect(DeviceDescription("EchoLog/1.0 (iPhone; ñ)").text == "EchoLog/1.0 (iPhone; ñ)")
    }

    @Test func `control characters and line separators become spaces`() {
        #expect(DeviceDescription("a\r\nb\0c\u{1B}d\u{2028}e\u{85}f").text == "a  b c d e f")
    }

    @Test(arguments: [255, 256])
    func `text within the limit is whole`(length: Int) {
        #expect(DeviceDescription(String(repeating: "a", count: length)).text.utf8.count == length)
    }

    @Test func `long text is cut between characters`() {
        #expect(DeviceDescription(String(repeating: "a", count: 257)).text.utf8.count == 256)
        #expect(DeviceDescription(String(repeating: "a", count: 255) + "é").text == String(repeating: "a", count: 255))
        #expect(DeviceDescription(String(repeating: "😀", count: 1_000)).text.utf8.count == 256)
    }
}
