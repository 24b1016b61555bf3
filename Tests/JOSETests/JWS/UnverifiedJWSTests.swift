import Crypto
import JOSE
import Testing
import Text

@Suite("Compact JWS, RFC 7515 §7.1")
struct UnverifiedJWSTests {
    @Test(arguments: [
        "none", "None", "nOnE", "NONE", "HS256", "HS384", "HS512", "RS384", "RS512", "PS512", "ES384", "EdDSA", "es256",
    ])
    func `an algorithm outside the known ones is refused, with and without a signature`(name: String) throws {
        let text = TokenText.unsigned(header: "{\"alg\":\"\(name)\"}")
        #expect(parseError(text + ".") == .unsupportedAlgorithm)
        #expect(parseError(text + ".AAAA") == .unsupportedAlgorithm)
        #expect(parseError(text) == .notThreeParts)
    }

    @Test(arguments: [
        (#"{}"#, JOSEError.invalidHeaderParameter("alg")),
        (#"{"alg":null}"#, .invalidHeaderParameter("alg")),
        (#"{"alg":""}"#, .invalidHeaderParameter("alg")),
        (#"{"alg":["ES256"]}"#, .invalidHeaderParameter("alg")),
        (#"{"alg":256}"#, .invalidHeaderParameter("alg")),
        (#"{"alg":"ES256","kid":""}"#, .invalidHeaderParameter("kid")),
        (#"{"alg":"ES256","kid":7}"#, .invalidHeaderParameter("kid")),
        (#"{"alg":"ES256","kid":["a"]}"#, .invalidHeaderParameter("kid")),
        (#"{"alg":"ES256","kid":{}}"#, .invalidHeaderParameter("kid")),
        (#"{"alg":"ES256","kid":null}"#, .invalidHeaderParameter("kid")),
        (#"{"alg":"ES256","typ":1}"#, .invalidHeaderParameter("typ")),
        (#"{"alg":"ES256","crit":["exp"]}"#, .criticalExtension),
        (#"{"alg":"ES256","crit":[]}"#, .criticalExtension),
        (#"{"alg":"ES256","crit":null}"#, .criticalExtension),
        (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .criticalExtension),
        (#"{"alg":"ES256","b64":false}"#, .unencodedPayload),
        (#"{"alg":"ES256","b64":true}"#, .unencodedPayload),
        (#"{"alg":"ES256","zip":"DEF"}"#, .compressed),
        (#"{"alg":"none","alg":"ES256"}"#, .headerNotJSON(.duplicateMember)),
        (#"{"alg":"ES256","alg":"ES256"}"#, .headerNotJSON(.duplicateMember)),
        (#"{"alg":"ES256","\u0061lg":"none"}"#, .headerNotJSON(.duplicateMember)),
        (#"["ES256"]"#, .headerNotObject),
        (#""ES256""#, .headerNotObject),
        (#"null"#, .headerNotObject),
        (#""#, .headerNotJSON(.unexpectedEnd)),
        (#"{"alg":"ES256"} x"#, .headerNotJSON(.trailingBytes)),
        (#"{"alg":"ES256"}{"alg":"none"}"#, .headerNotJSON(.trailingBytes)),
        (#"{"alg":"ES256","kid":"\ud800"}"#, .headerNotJSON(.loneSurrogate)),
        (#"{'alg':'ES256'}"#, .headerNotJSON(.syntax)),
        ("\u{FEFF}{\"alg\":\"ES256\"}", .headerNotJSON(.byteOrderMark)),
        (#"{"alg":"ES256","x":1e999}"#, .headerNotJSON(.numberOutOfRange)),
    ])
    func `a header with a defect is refused for it`(header: String, error: JOSEError) {
        #expect(parseError(TokenText.unsigned(header: header) + ".AAAA") == error)
    }

    @Test func `a header that is nested deeply is refused`() {
        let deep = #"{"alg":"ES256","x":"# + String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000) + "}"
        #expect(parseError(TokenText.unsigned(header: deep) + ".AAAA") == .headerNotJSON(.depth))
    }

    @Test func `a header that is not UTF-8 is refused`() {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"x"#.utf8) + [0xFF] + Array(#""}"#.utf8))
        #expect(parseError(header + ".e30.AAAA") == .headerNotJSON(.invalidUTF8))
    }

    @Test(arguments: [(256, nil), (257, JOSEError.invalidHeaderParameter("kid")), (4096, .invalidHeaderParameter("kid"))])
    func `a key id has at most 256 bytes`(count: Int, error: JOSEError?) {
        let header = "{\"alg\":\"ES256\",\"kid\":\"\(String(repeating: "k", count: count))\"}"
        #expect(parseError(TokenText.unsigned(header: header) + ".AAAA") == error)
    }

    @Test(arguments: [
        "", ".", "a", "a.b", "a.b.c.d", "a.b.c.d.e", ".....", "{\"payload\":\"e30\",\"signatures\":[]}",
        String(repeating: ".", count: 10000),
    ])
    func `anything but three parts is refused`(text: String) {
        #expect(parseError(text) == .notThreeParts)
    }

    private static let parts = ["eyJhbGciOiJFUzI1NiJ9", "e30", "AAAA"]

    @Test(arguments: [
        "=", "==", " ", "\n", "\r\n", "\t", "+", "/", "%3D", "é", "\u{0}", "*",
    ])
    func `a foreign symbol in any part is refused`(symbol: String) throws {
        for (index, part) in JWSPart.allCases.enumerated() {
            var end = Self.parts
            end[index] += symbol
            #expect(parseError(end.joined(separator: ".")) == .invalidBase64URL(part))
            var start = Self.parts
            start[index] = symbol + start[index]
            #expect(parseError(start.joined(separator: ".")) == .invalidBase64URL(part))
        }
    }

    @Test(arguments: [
        ("eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifR", "e30", "AAAA", JWSPart.header), ("eyJhbGciOiJFUzI1NiJ9", "e31", "AAAA", .payload),
        ("eyJhbGciOiJFUzI1NiJ9", "e30", "AB", .signature), ("eyJhbGciOiJFUzI1NiJ9", "e30", "A", .signature),
        ("eyJhbGciOiJFUzI1NiJ9", "e", "AAAA", .payload), ("eyJhbGciOiJFUzI1NiJ9a", "e30", "AAAA", .header),
    ])
    func `trailing bits and impossible lengths are refused`(header: String, payload: String, signature: String, part: JWSPart) {
        #expect(parseError("\(header).\(payload).\(signature)") == .invalidBase64URL(part))
    }

    @Test func `an empty signature is refused`() {
        #expect(parseError("eyJhbGciOiJFUzI1NiJ9.e30.") == .missingSignature)
    }

    @Test func `a token is refused beyond 16 KiB, before it is decoded`() {
        let rest = "eyJhbGciOiJFUzI1NiJ9..AAAA"
        let limit = UnverifiedJWS.maximumByteCount
        // A multiple of four, so that the length is possible.
        let payload = String(repeating: "A", count: (limit - rest.utf8.count) / 4 * 4)
        #expect(parseError("eyJhbGciOiJFUzI1NiJ9.\(payload).AAAA") == nil)
        #expect(parseError(String(repeating: "!", count: limit)) == .notThreeParts)
        #expect(parseError(String(repeating: "!", count: limit + 1)) == .tooLarge)
        #expect(parseError(String(repeating: ".", count: 1_000_000)) == .tooLarge)
        #expect(parseError(String(repeating: "A", count: 10 << 20)) == .tooLarge)
    }

    @Test func `every prefix of a good token is refused`() throws {
        let key = try TestKeys.elliptic.get()
        let token = try JWSSigner(key: key, type: "JWT").sign(Array(#"{"sub":"a"}"#.utf8))
        let keys = JWKSet([JWSSigner(key: key, type: nil).jwk])
        for length in 0..<token.utf8.count {
            #expect(throws: JOSEError.self, "prefix of \(length)") {
                try UnverifiedJWS.parse(String(token.prefix(length))).verify(with: keys, allowing: [.es256])
            }
        }
    }
}
