import Crypto
import JOSE
import Testing
import Text

@Suite("RFC 7515 appendix A")
struct RFC7515Tests {
    private static let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let decodedPayload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"

    @Test func `A1, an HMAC, is refused`() {
        let token = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(parseError(token) == .unsupportedAlgorithm)
    }

    @Test func `A2, RS256, verifies`() throws {
        let key = try JWK(
            text: """
                {"kty":"RSA",
                "n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pC\
                gNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xs\
                mtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
                "e":"AQAB"}
                """)
        let token =
            "eyJhbGciOiJSUzI1NiJ9.\(Self.payload)."
            + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZ"
            + "cAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-e"
            + "OkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        let verified = try UnverifiedJWS.parse(token).verify(with: key, allowing: [.rs256])
        #expect(String(decoding: verified.payload, as: UTF8.self) == Self.decodedPayload)
        #expect(verified.header.algorithm == .rs256)
        #expect(verified.header.keyID == nil)
    }

    @Test func `A3, ES256, verifies`() throws {
        let key = try JWK(
            text: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """)
        let token =
            "eyJhbGciOiJFUzI1NiJ9.\(Self.payload)."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let verified = try UnverifiedJWS.parse(token).verify(with: key, allowing: [.es256])
        let claims = try verified.claims()
        #expect(claims.issuer == "joe")
        #expect(claims.expiresAt == Timestamp(seconds: 1_300_819_380))
        #expect(claims["http://example.com/is_root"] == true)
    }

    @Test func `A4, ES512, is refused`() {
        let token =
            "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_"
            + "7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"
        #expect(parseError(token) == .unsupportedAlgorithm)
    }

    @Test func `A5, unsecured, is refused`() {
        #expect(parseError("eyJhbGciOiJub25lIn0.\(Self.payload).") == .unsupportedAlgorithm)
    }
}
