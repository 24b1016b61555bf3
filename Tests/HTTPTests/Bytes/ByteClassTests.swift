import Testing

@testable import HTTP

@Suite struct ByteClassTests {
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let digits = "0123456789"

    @Test func `a token has the characters of RFC 9110 section 5.6.2`() {
        expect(.token, toBe: Self.letters + Self.digits + "!#$%&'*+-.^_`|~")
    }

    @Test func `a method has upper-case letters, digits and hyphens`() {
        expect(.method, toBe: Self.letters.prefix(26) + Self.digits + "-")
    }

    @Test func `a path has the characters of RFC 3986 section 3.3`() {
        expect(.path, toBe: Self.letters + Self.digits + "-._~!$&'()*+,;=:@/%")
    }

    @Test func `a query has all visible characters but quotes, angles and the hash`() {
        let visible = (0x21...0x7e).map { String(Unicode.Scalar($0)) }.joined()
        expect(.query, toBe: visible.filter { !"\"#<>".contains($0) })
    }

    @Test func `a host name has letters, digits, hyphens, dots and underscores`() {
        expect(.hostName, toBe: Self.letters + Self.digits + "-._")
    }

    @Test func `an address literal has hexadecimal digits, colons and dots`() {
        expect(.addressLiteral, toBe: Self.digits + "abcdefABCDEF:.")
    }

    @Test func `a bearer token has the characters of RFC 9110 section 11.2`() {
        expect(.token68, toBe: Self.letters + Self.digits + "-._~+/")
    }

    private func expect(_ byteClass: ByteClass, toBe members: some StringProtocol) {
        let members = Set(members.utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byteClass.contains(byte) == members.contains(byte), "\(byte)")
        }
    }
}
