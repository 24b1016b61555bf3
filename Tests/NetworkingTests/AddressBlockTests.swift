import Testing

@testable import Networking

@Suite struct AddressBlockTests {
    private func read(_ text: String) -> IPAddress? {
        let bytes = [UInt8](text.utf8)
        return IPAddress(bytes.span)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("192.0.2.7", "192.0.2.7/32"), ("192.0.2.7/32", "192.0.2.7/32"), ("0.0.0.0/0", "0.0.0.0/0"),
        ("FD00::/8", "fd00::/8"), ("::1", "::1/128"), ("::/0", "::/0"), ("2001:db8:0:1::/64", "2001:db8:0:1::/64"),
        ("2001:db8::8000:0:0:0/65", "2001:db8:0:0:8000::/65"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"), ("::ffff:0:0/96", "0.0.0.0/0"),
    ])
    func `a block is read and written in its usual form`(text: String, canonical: String) throws {
        #expect(try AddressBlock(text).description == canonical)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8",
        "::/129",
        "::/1000", "localhost", "10.0.0.0 /8", "fe80::1%eth0", "10.0.0.0/255.0.0.0", "[::1]/128",
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: AddressBlock.Failure.malformed) { try AddressBlock(text) }
    }

    @Test(arguments: ["10.0.0.1/8", "10.0.0.1/31", "0.0.0.1/0", "::1/127", "::1/0", "2001:db8::1/64", "::ffff:10.0.0.0/90"])
    func `an address inside a block is not taken for the block`(text: String) {
        #expect(throws: AddressBlock.Failure.bitsBehindPrefix) { try AddressBlock(text) }
    }

    @Test(arguments: [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["9.255.255.255", "11.0.0.0", "::a00:1"]),
        ("192.0.2.8/30", ["192.0.2.8", "192.0.2.11"], ["192.0.2.7", "192.0.2.12"]),
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]), ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::1"]),
        ("fd00::/8", ["fd00::", "fdff:ffff::1"], ["fc00::", "fe00::", "253.0.0.1"]),
        (
            "2001:db8:0:1::/64", ["2001:db8:0:1::", "2001:db8:0:1:ffff:ffff:ffff:ffff"],
            ["2001:db8::ffff:0:0:0", "2001:db8:0:2::"]
        ),
        ("2001:db8::/65", ["2001:db8::7fff:0:0:0"], ["2001:db8::8000:0:0:0"]),
        ("2001:db8::4/126", ["2001:db8::4", "2001:db8::7"], ["2001:db8::3", "2001:db8::8"]),
        ("::/0", ["::", "ff::1"], ["1.2.3.4"]),
    ])
    func `a block has what begins like it, and nothing else`(text: String, inside: [String], outside: [String]) throws {
        let block = try AddressBlock(text)
        for address in inside { #expect(block.contains(try #require(IPAddress(address))), "\(address)") }
        for address in outside { #expect(!block.contains(try #require(IPAddress(address))), "\(address)") }
    }

    @Test(arguments: ["127.0.0.1", "::ffff:192.0.2.1", "2001:DB8::0:1", "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"])
    func `an address in a buffer is read like one in a string`(text: String) {
        #expect(read(text) == IPAddress(text))
        #expect(IPAddress(text) != nil)
    }

    @Test(arguments: ["", "1.2.3", "01.2.3.4", "1.2.3.4\0", "::1\0x", "fe80::1%eth0", String(repeating: "1", count: 5000)])
    func `a buffer that holds anything else is refused`(text: String) {
        #expect(read(text) == nil)
    }
}
