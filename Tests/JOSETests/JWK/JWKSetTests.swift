import Crypto
import Testing
import Text

@testable import JOSE

@Suite("JWK set, RFC 7517 §5")
struct JWKSetTests {
    private static let elliptic =
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#

    private func parse(_ text: String) throws -> JWKSet {
        try JWKSet.parse(Array(text.utf8))
    }

    @Test func `one broken, unknown or foreign key leaves the others good`() throws {
        let set = try parse(
            #"{"keys":[7,{"kty":"oct","k":"AAAA"},{"kty":"OKP","crv":"Ed25519","x":"AAAA"},"#
                + Self.elliptic + #","kid":"good"},"# + Self.elliptic
                + #","kid":"enc","use":"enc"},{"kty":"RSA","n":"AQ","e":"AQAB"}]}"#)
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(
            set.skipped == [
                .init(index: 0, defect: .notObject), .init(index: 1, defect: .privateKeyExposed),
                .init(index: 2, defect: .unsupportedKeyType), .init(index: 4, defect: .notForVerification),
                .init(index: 5, defect: .unusable(.modulusTooShort)),
            ])
        #expect(set.key(withID: "good") != nil)
        #expect(set.key(withID: "enc") == nil)
        #expect(set.key(withID: "") == nil)
    }

    @Test func `keys that share a name are all dropped`() throws {
        let set = try parse(
            #"{"keys":["# + Self.elliptic + #","kid":"a"},"# + Self.elliptic + #","kid":"b"},"# + Self.elliptic
                + #","kid":"a"}]}"#)
        #expect(set.keys.map(\.keyID) == ["b"])
        #expect(set.skipped == [.init(index: 0, defect: .duplicateKeyID), .init(index: 2, defect: .duplicateKeyID)])
    }

    @Test func `a key for encryption under the same name is no rival`() throws {
        let set = try parse(#"{"keys":["# + Self.elliptic + #","kid":"a"},"# + Self.elliptic + #","kid":"a","use":"enc"}]}"#)
        #expect(set.keys.map(\.keyID) == ["a"])
    }

    @Test func `a key without a name is kept and never found by name`() throws {
        let set = try parse(#"{"keys":["# + Self.elliptic + "}," + Self.elliptic + "}]}")
        #expect(set.keys.count == 2)
        #expect(set.key(withID: "") == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "<html></html>", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"Keys":[]}"#, #"{"keys":[],"keys":[]}"#,
        #"{"keys":[]"#, "{\"keys\":[" + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + "]}",
    ])
    func `anything but an object with keys is refused`(text: String) {
        #expect(throws: JOSEError.invalidKeySet) { try parse(text) }
    }

    @Test func `an empty set has no keys`() throws {
        #expect(try parse(#"{"keys":[]}"#).keys.isEmpty)
    }

    @Test func `a set is refused beyond 256 KiB`() {
        let start = #"{"keys":[]"#
        func padded(_ count: Int) -> String { start + String(repeating: " ", count: count - start.utf8.count - 1) + "}" }
        #expect(throws: Never.self) { try parse(padded(256 * 1024)) }
        #expect(throws: JOSEError.tooLarge) { try parse(padded(256 * 1024 + 1)) }
        #expect(throws: JOSEError.tooLarge) { try parse(padded(10 << 20)) }
    }

    @Test func `a set is refused beyond a hundred keys`() {
        func keys(_ count: Int) -> String {
            "{\"keys\":[" + [String](repeating: "{}", count: count).joined(separator: ",") + "]}"
        }
        #expect(throws: Never.self) { try parse(keys(100)) }
        #expect(throws: JOSEError.invalidKeySet) { try parse(keys(101)) }
        #expect(throws: JOSEError.invalidKeySet) { try parse(keys(10_000)) }
    }

    @Test func `a rendered set reads back`() throws {
        let keys = try [TestKeys.elliptic.get(), TestKeys.rsa.get()].map { JWK(key: $0.publicKey, algorithm: $0.algorithm) }
        let copy = try JWKSet.parse(JWKSet(keys).rendered)
        #expect(copy.keys.map(\.keyID) == keys.map(\.keyID))
        #expect(copy.keys.map(\.key.components) == keys.map(\.key.components))
        #expect(copy.skipped.isEmpty)
        #expect(String(decoding: JWKSet([]).rendered, as: UTF8.self) == #"{"keys":[]}"#)
    }

    @Test func `a rendered set never has a private member`() throws {
        let text = try String(decoding: JWKSet([JWSSigner(key: TestKeys.rsa.get(), type: nil).jwk]).rendered, as: UTF8.self)
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            #expect(!text.contains("\"\(name)\":"))
        }
    }
}
