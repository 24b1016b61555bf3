import Foundation
import KidobanTransport
import KidobanVerifier
import KidobanVerifierOpenSSL
import Testing

@Suite("Signatures")
struct SignatureTests {
    private let message = Data("the watchman at the gate".utf8)
    private static let modulus =
        "4ZjvfYE8xaspQX8U4tzkX6pHAiRhKn9GmdGm4VPpwPTZMI7xnyRjf7bOIOsJOSBP4rJONYLzlpzjPIj8mMRPfYJr4HEQwIziGt085ojPmQl5h_Gg-UhGVsM7XjddMDu2No6jDR-YGnwVWBx4b5x7cyrMELeIKBttT5MjX6DasN6oDnTtDIfBzexHiV69rMi8OL7FYiqWH61Zgr0MElMb1b_WKduQqPigq1pvGzTbxcsvK2f9ZMK8BCJOoyCcvgEeih_YZ2MEftMxZwKmo340OnFJWFApU21cvkKxA06tcV_2un5UbC-zoC5HaPM4a8SXD3eZdg8nzwlIQmvoahX-HQ"
    private static let signature =
        "RA9tJegzutQXYdU_lmi2Fq99eCBB5kHgv5-ArkitPa4LYz_Anh-R2riNndnCsImeX4BF1SctP5x4QUCCZQjQdcfRXlCoKavKZwj3yUAiFM-YZ6BRR1xdqlzwnSzhW8ZSVFMCIPYvXPZy7xIOWdVQoRHpYzbeBpu13x-8FDuJDuQL1ADJoIjlZueSs6d1Sx3lEkHWriMxK_h0jOc4ZEbhGiPZJtzIulTlFB44rmqcdqugTNdcmxBBY3IrasEfyXZeLeDDk8Mzf7SWY4z9-TbhDVmW-SQ-zN4IEvADgZQr3pX3tS4xm6M4jcX8OXNSZ_hV7P2JwvBssvbufEKCGjNBUg"

    private func rsaKey() throws -> any SignatureKey {
        let modulus = try #require(Base64URL.decode(Self.modulus))
        return try #require(SystemSignatures().key(.rsa(modulus: modulus, exponent: Data([1, 0, 1]))))
    }

    @Test func `RS256 of a right signature holds, and of no other`() throws {
        let key = try rsaKey()
        let signature = try #require(Base64URL.decode(Self.signature))
        #expect(key.isValid(signature, of: message))
        #expect(!key.isValid(signature, of: message + Data([0])))
        #expect(!key.isValid(signature.dropLast(), of: message))
        #expect(!key.isValid(Data(), of: message))
        var changed = signature
        changed[changed.startIndex + 100] ^= 1
        #expect(!key.isValid(changed, of: message))
    }

    /// RFC 7515 A.3.
    @Test func `ES256 of the example in RFC 7515 holds, and of no other`() throws {
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let key = try #require(SystemSignatures().key(.p256(x: x, y: y)))
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        let signed = Data(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ")
                .utf8)
        #expect(key.isValid(signature, of: signed))
        #expect(!key.isValid(signature, of: message))
        #expect(!key.isValid(signature.dropLast(), of: signed))
        // CVE-2022-21449: zeroes are no signature.
        #expect(!key.isValid(Data(count: 64), of: signed))
        #expect(!key.isValid(Data(), of: signed))
    }

    @Test func `what is no key is none`() throws {
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        #expect(SystemSignatures().key(.p256(x: x, y: x)) == nil)
        #expect(SystemSignatures().key(.p256(x: Data(count: 32), y: Data(count: 32))) == nil)
        #expect(SystemSignatures().key(.rsa(modulus: Data([0x81]) + Data(count: 127), exponent: Data([1, 0, 1]))) == nil)
    }
}
