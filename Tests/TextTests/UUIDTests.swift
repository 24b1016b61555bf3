import Testing
import Text

@Suite("UUID, RFC 9562")
struct UUIDTests {
    @Test func `text is read in either case and written in lower case`() throws {
        let id = try #require(UUID("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
        #expect(id.description == "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
        #expect(id == UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
        #expect(id.bytes == Hex.decode("f81d4fae7dec11d0a76500a0c91e6bf6"))
        #expect(UUID(bytes: id.bytes) == id)
        #expect(id.version == 1)
    }

    @Test(arguments: [
        "", "f81d4fae", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf66",
        "f81d4fag-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae_7dec-11d0-a765-00a0c91e6bf6", "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
        " f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6b\u{e9}",
    ])
    func `any other text is refused`(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test(arguments: [0, 15, 17])
    func `any other number of bytes is refused`(count: Int) {
        #expect(UUID(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func `the version 7 vector of RFC 9562 appendix A_6 holds`() {
        // rand_a is 0xCC3, rand_b is 0x18C4DC0C0C07398F.
        let random: [UInt8] = [0xFC, 0xC3, 0xD8, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
        let id = UUID(version7At: Timestamp(milliseconds: 0x017F_22E2_79B0), random: random)
        #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(id.version == 7)
    }

    @Test func `later identifiers of version 7 sort behind earlier ones`() {
        let earlier = UUID(version7At: Timestamp(milliseconds: 1_700_000_000_000), random: [UInt8](repeating: 0xFF, count: 10))
        let later = UUID(version7At: Timestamp(milliseconds: 1_700_000_000_001), random: [UInt8](repeating: 0, count: 10))
        #expect(earlier < later)
        #expect(earlier.description < later.description)
    }

    @Test func `too few random bytes and an instant before 1970 do no harm`() {
        let id = UUID(version7At: Timestamp(milliseconds: -5), random: [])
        #expect(id.description == "00000000-0000-7000-8000-000000000000")
    }
}
