import Testing

@testable import Networking

@Suite("IPAddress and SocketAddress")
struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1"),
    ])
    func `numeric addresses are read and written in their usual form`(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "fe80::1%eth0", "::g", " 1.2.3.4"])
    func `anything else is refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `a listening address has a port and a numeric host`() {
        #expect(SocketAddress(listening: "127.0.0.1:80") == .ip(.v4(0x7F00_0001), port: 80))
        #expect(SocketAddress(listening: "[::1]:80") == .ip(.v6(0, 1), port: 80))
        #expect(SocketAddress(listening: ":8080") == .ip(.v4(0), port: 8080))
        for wrong in ["", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "host:80"] {
            #expect(SocketAddress(listening: wrong) == nil)
        }
    }

    @Test func `a name is looked up`() {
        #expect(!Resolver.addresses(of: "localhost", port: 80).isEmpty)
        #expect(Resolver.addresses(of: "10.0.0.1", port: 5) == [.ip(.v4(0x0A00_0001), port: 5)])
    }
}
