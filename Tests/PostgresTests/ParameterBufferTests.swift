import Testing

@testable import Postgres

@Suite struct ParameterBufferTests {
    @Test func `text with a NUL is refused by its place`() {
        #expect(throws: PostgresError.invalidParameter(1)) {
            try ParameterBuffer([.text("fine"), .text("cut\u{0}off"), .text("\u{0}")])
        }
        #expect(throws: PostgresError.invalidParameter(0)) { try ParameterBuffer([.textArray(["a", "\u{0}"])]) }
    }

    @Test func `bytes may hold anything`() throws {
        #expect(try ParameterBuffer([.bytes([0, 255, 0])]).count == 1)
    }

    @Test func `values never print`() {
        let values: [PostgresValue] = [.text("hunter2"), .bytes([104, 117]), .json("hunter2"), .textArray(["hunter2"])]
        var dumped = ""
        dump(values, to: &dumped)
        for text in ["\(values)", String(reflecting: values), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
    }
}
