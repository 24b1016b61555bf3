import Testing

@testable import HTTP

@Suite struct ResponseFieldsTests {
    @Test func `fields are kept in their order and found in any case`() {
        var fields: ResponseFields = ["Cache-Control": "no-store", "Set-Cookie": "a=b"]
        fields.append("Set-Cookie", "c: d")
        #expect(fields.lines == [UInt8]("Cache-Control: no-store\r\nSet-Cookie: a=b\r\nSet-Cookie: c: d\r\n".utf8))
        #expect(fields.values(named: "set-cookie") == ["a=b", "c: d"])
        #expect(fields.values(named: "cookie").isEmpty)
        #expect(!fields.isRefused)
    }

    @Test func `a copy with another field leaves the first alone`() {
        let fields: ResponseFields = ["A": "b"]
        #expect(fields.appending("C", "").values(named: "c") == [""])
        #expect(fields.values(named: "c").isEmpty)
    }

    @Test func `a value with any byte but printable ASCII is refused and leaves no trace`() {
        for byte in UInt8.min...UInt8.max {
            let value = "a" + String(Character(Unicode.Scalar(byte))) + "b"
            let fields: ResponseFields = ["X-One": "1", "X-Two": value, "X-Three": "3"]
            #expect(fields.isRefused == !(0x20...0x7e).contains(byte), "\(byte)")
            #expect(fields.values(named: "x-two") == (fields.isRefused ? [] : [value]))
            #expect(fields.values(named: "x-three") == ["3"])
        }
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "é"] as [StaticString]) func `a name that is not a token is refused`(
        name: StaticString
    ) {
        var fields = ResponseFields()
        fields.append(name, "x")
        #expect(fields.isRefused)
        #expect(fields.lines.isEmpty)
    }

    @Test(
        arguments: [
            "Content-Length", "transfer-encoding", "CONNECTION", "Date", "Content-Type", "X-Request-Id", "X-Content-Type-Options",
            "Keep-Alive", "Trailer", "Upgrade",
        ] as [StaticString])
    func `a field that the serialiser writes is refused`(name: StaticString) {
        var fields = ResponseFields()
        fields.append(name, "1")
        #expect(fields.isRefused)
        #expect(fields.lines.isEmpty)
    }
}
