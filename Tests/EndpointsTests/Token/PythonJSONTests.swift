import Testing

@testable import Endpoints

/// What CPython 3.11 says, taken from its `json.loads`.
@Suite struct PythonJSONTests {
    @Test(arguments: [
        "null", "true", "[]", "{}", " [1, -2.5e+3, 0.1] ", #"{"a": {"b": ["c", "\u00e9\n\\"]}}"#, "NaN", "[Infinity, -Infinity]",
        "\"\u{7F}\"",
        "1E5",
    ])
    func `what Python reads is no error`(_ text: String) {
        #expect(TokenAPI.PythonJSONError(in: text) == nil)
    }

    @Test(
        arguments: [
            ("", "Expecting value", 0), ("\t", "Expecting value", 1), ("[", "Expecting value", 1),
            ("[1", "Expecting ',' delimiter", 2),
            ("[1,", "Expecting value", 3), ("{\"a\"", "Expecting ':' delimiter", 4), ("{\"a\":", "Expecting value", 5),
            ("{\"a\":1", "Expecting ',' delimiter", 6), ("{\"a\":1,", "Expecting property name enclosed in double quotes", 7),
            ("\"", "Unterminated string starting at", 0), ("\"\\", "Unterminated string starting at", 0),
            ("\"\\u", "Invalid \\uXXXX escape", 2),
            ("\"\\u1234", "Invalid \\uXXXX escape", 2), ("\"\\u12g4\"", "Invalid \\uXXXX escape", 2),
            ("\"\\q\"", "Invalid \\escape", 1),
            ("1.", "Extra data", 1), ("1e", "Extra data", 1), ("-a", "Expecting value", 0), (".5", "Expecting value", 0),
            ("+1", "Expecting value", 0),
            ("nul", "Expecting value", 0), ("nullx", "Extra data", 4),
            ("{1:2}", "Expecting property name enclosed in double quotes", 1),
            ("]", "Expecting value", 0), ("[]]", "Extra data", 2), ("\u{FEFF}1", "Expecting value", 0),
        ] as [(String, StaticString, Int)])
    func `what it refuses has its words and its place`(_ text: String, _ message: StaticString, _ position: Int) {
        #expect(TokenAPI.PythonJSONError(in: text) == TokenAPI.PythonJSONError(message, at: position))
    }

    @Test func `it looks at no text that is nested too deeply`() {
        #expect(TokenAPI.PythonJSONError(in: String(repeating: "[", count: 100_000)) == nil)
        #expect(
            TokenAPI.PythonJSONError(in: String(repeating: "[", count: 199))
                == TokenAPI.PythonJSONError("Expecting value", at: 199))
    }
}
