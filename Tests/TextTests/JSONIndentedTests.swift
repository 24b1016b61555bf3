import Testing

@testable import Text

@Suite struct JSONIndentedTests {
    @Test func `each member and element is on a line of its own, and empty ones take none`() throws {
        let text = #"{"a":[1,"x\n",{"b":null}],"c":[],"d":{},"e":1.5}"#
        let value = try JSON.parse(Array(text.utf8))
        let expected = """
            {
              "a": [
                1,
                "x\\n",
                {
                  "b": null
                }
              ],
              "c": [],
              "d": {},
              "e": 1.5
            }

            """
        #expect(String(decoding: value.indented, as: UTF8.self) == expected)
        #expect(try JSON.parse(value.indented) == value)
    }

    @Test func `a value that is no container is a line`() {
        #expect(JSONValue.string("x").indented == Array("\"x\"\n".utf8))
    }
}
