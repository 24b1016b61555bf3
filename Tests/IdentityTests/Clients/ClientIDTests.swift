import Identity
import Testing

@Suite struct ClientIDTests {
    @Test(arguments: ["a", "app-backend", "com.example.app_2", "A.b-c_9"])
    func `a plain name is an id`(text: String) {
        #expect(ClientID(text)?.text == text)
    }

    @Test(arguments: ["", " ", "a b", "a:b", "a/b", "é", "a\0", "a\r\n", "ａ", "{x}", "018f3c3e-7c1a-7b3d-9e21-aabbccddeeff"])
    func `anything else is not`(text: String) {
        #expect(ClientID(text) == nil)
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `an id has at most 64 characters`(length: Int, fits: Bool) {
        #expect((ClientID(String(repeating: "a", count: length)) != nil) == fits)
    }
}
