import Testing
import Text
@testable import Routing

@Suite struct RequestCookiesTests {
    private func values(_ fields: String..., named name: String = "sid") throws -> [String] {
        let head = try parsedHead(fields: fields.map { "Cookie: \($0)" })
        return RequestCookies.values(named: name, in: head).map(\.revealedText)
    }

    @Test(arguments: [
        ("sid=a", ["a"]), ("other=1; sid=a; more=2", ["a"]), ("sid=a;sid=b ; \tsid=c", ["a", "b", "c"]), ("sid=", [""]),
        ("sid=a=b==", ["a=b=="]), ("sid=\"a\"", ["\"a\""]), ("$Version=1; sid=a; $Path=/", ["a"]), (";;; ;sid=a;", ["a"]),
        ("sid=a b", ["a b"]), ("sid=%61", ["%61"]),
    ])
    func `what stands under the name is found as it is`(_ field: String, _ expected: [String]) throws {
        #expect(try values(field) == expected)
    }

    @Test(arguments: ["", "sid", "Sid=a", "SID=a", "xsid=a", "sidx=a", "sid =a", "__Host-sid=a", "s_id=a", "sid,=a", "=a", "="])
    func `another name is another cookie`(_ field: String) throws {
        #expect(try values(field).isEmpty)
    }

    @Test func `several fields are read in their order`() throws {
        #expect(try values("sid=a", "x=1; sid=b") == ["a", "b"])
        #expect(try values("__Host-sid=a", named: "__Host-sid") == ["a"])
    }

    @Test func `no number of cookies is too much for it`() throws {
        let field = (0..<300).map { "c\($0)=\($0)" }.joined(separator: "; ")
        #expect(try values(field + "; sid=a") == ["a"])
        #expect(try values(String(repeating: ";", count: 8_000)).isEmpty)
        #expect(try values("sid=" + String(repeating: "a", count: 8_000)).map(\.count) == [8_000])
    }
}
