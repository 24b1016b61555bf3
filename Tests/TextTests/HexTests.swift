import Testing
import Text

@Suite("Base 16, RFC 4648 §8")
struct HexTests {
    @Test func `bytes are written in lower case and read in either`() {
        #expect(Hex.encode([0x00, 0x9F, 0xAB, 0xFF]) == "009fabff")
        #expect(Hex.decode("009fabff") == [0x00, 0x9F, 0xAB, 0xFF])
        #expect(Hex.decode("009FABFF") == [0x00, 0x9F, 0xAB, 0xFF])
        #expect(Hex.encode([]) == "")
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "g0", "0x00", " 00", "00 ", "00\n", "/0", ":0", "@0", "`0"])
    func `odd lengths and other characters are refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
