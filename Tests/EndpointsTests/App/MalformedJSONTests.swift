import TestSupport
import Testing
import Text

/// Bodies that are no JSON, or JSON that is made to hurt whoever reads it.
@Suite(.needsServers, .installation())
struct MalformedJSONTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    struct Attack: CustomTestStringConvertible {
        let testDescription: String
        let body: [UInt8]

        init(_ name: String, _ body: String) {
            self.init(name, Array(body.utf8))
        }

        init(_ name: String, _ body: [UInt8]) {
            testDescription = name
            self.body = body
        }
    }

    static let login = #"{"email":"a@example.com","password":"correct horse""#

    static let attacks = [
        Attack("nothing but a brace", "{"), Attack("no JSON at all", "hello"), Attack("white space", "  \n"),
        Attack("two documents", "{}{}"), Attack("text after the document", "{} x"), Attack("a comma too many", login + ",}"),
        Attack("a repeated member", login + #","email":"b@example.com"}"#),
        Attack("a repeated member in an escape", login + #","\u0065mail":"b@example.com"}"#),
        Attack("single quotes", "{'email':'a@example.com'}"), Attack("a comment", "{/* */}"),
        Attack("NaN", login + #","n":NaN}"#),
        Attack("Infinity", login + #","n":-Infinity}"#), Attack("a number beyond all", login + #","n":1e400}"#),
        Attack("a hexadecimal number", login + #","n":0x10}"#), Attack("a leading zero", login + #","n":01}"#),
        Attack("a lone surrogate", #"{"email":"\ud800"}"#),
        Attack("surrogates the wrong way round", #"{"email":"\udc00\ud800"}"#),
        Attack("a bad escape", #"{"email":"\x41"}"#), Attack("a line feed in a string", "{\"email\":\"a\nb\"}"),
        Attack("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
        Attack("UTF-16", Array(login.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        Attack("broken UTF-8", Array(#"{"email":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)),
        Attack("an overlong encoding", Array(#"{"email":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)),
        Attack("a NUL", Array("{}".utf8) + [0]),
        Attack("arrays 100 000 deep", String(repeating: "[", count: 100_000)),
        Attack("objects 10 000 deep", String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)),
        Attack("arrays 33 deep", String(repeating: "[", count: 33) + String(repeating: "]", count: 33)),
        Attack("100 000 members", "{" + (0..<100_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"),
        Attack("100 000 elements", #"{"a":["# + String(repeating: "1,", count: 100_000) + "1]}"),
        Attack("a number of 100 000 digits", #"{"a":"# + String(repeating: "1", count: 100_000) + "}"),
        Attack("an exponent of 100 000 digits", #"{"a":1e"# + String(repeating: "9", count: 100_000) + "}"),
    ]

    @Test(arguments: attacks)
    func `it is refused, and the connection goes on`(_ attack: Attack) async throws {
        let answers = try await server.converse { connection in
            var answers: [TestHTTPResponse] = []
            for path in AppAPITests.posts {
                answers.append(try connection.exchange(.json("POST", path, attack.body)))
            }
            answers.append(try connection.exchange(TestHTTPRequest("GET", "/.well-known/jwks.json")))
            return answers
        }
        for answer in answers.dropLast() {
            #expect(answer.status == 400)
            #expect(answer.text == #"{"error":"Invalid input"}"#)
            #expect(answer.value("Connection") == nil)
        }
        #expect(answers.last?.status == 200)
    }

    @Test func `a change needs the token before the body is looked at`() async throws {
        #expect(try await server.send(.json("PATCH", "/auth/me", Array("{".utf8))).status == 401)
        let account = try await server.signUp()
        let response = try await server.send(.json("PATCH", "/auth/me", Array("{".utf8), bearer: account.accessToken))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input"}"#)
        #expect(try await server.send("PATCH", "/auth/me", [("Authorization", "Bearer \(account.accessToken)")]).status == 400)
    }
}
