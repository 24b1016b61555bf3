import Crypto
import JOSE
import Testing
import Text

@Suite struct SharedSecretJWSTests {
    private let jws: SharedSecretJWS
    private let payload = Array(#"{"a":1}"#.utf8)

    init() throws {
        jws = SharedSecretJWS(key: try SymmetricKey(Array("a key of at least thirty-two bytes".utf8)))
    }

    @Test func `what was signed is verified`() throws {
        let token = jws.sign(payload)
        #expect(try jws.verify(token) == payload)
        #expect(token.hasPrefix("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."))
    }

    @Test func `a token with any byte changed or missing is refused`() throws {
        let token = Array(jws.sign(payload).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: JOSEError.self) { try jws.verify(String(decoding: changed, as: UTF8.self)) }
            #expect(throws: JOSEError.self) { try jws.verify(String(decoding: token[..<index], as: UTF8.self)) }
        }
    }

    @Test func `another key, another algorithm and none are refused`() throws {
        let other = SharedSecretJWS(key: try SymmetricKey(Array("another key of thirty-two bytes, and".utf8)))
        #expect(throws: JOSEError.invalidSignature) { try jws.verify(other.sign(payload)) }
        for header in [#"{"alg":"none"}"#, #"{"alg":"ES256","typ":"JWT"}"#, #"{"typ":"JWT","alg":"HS256"}"#] {
            let parts = jws.sign(payload).split(separator: ".")
            let forged = Base64URL.encode(Array(header.utf8)) + "." + parts[1] + "." + parts[2]
            #expect(throws: JOSEError.unsupportedAlgorithm) { try jws.verify(forged) }
        }
    }
}
