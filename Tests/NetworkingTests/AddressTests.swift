import CEpoll
import Glibc
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

    @Test(arguments: ["192.0.2.1", "255.255.255.255", "0.0.0.0", "::", "::1", "2001:db8::ffff:1", "::ffff:192.0.2.1", "fe80::1"])
    func `text in a buffer is read as a string of it is`(text: String) {
        #expect(IPAddress([UInt8](text.utf8).span) == IPAddress(text))
    }

    @Test func `text in a buffer that is empty, too long or has a NUL is refused`() {
        for bytes in [
            [], [UInt8](repeating: 0x31, count: 46), [UInt8]("1.2.3.4\0".utf8), [UInt8]("::1\0.5".utf8), [UInt8]("host".utf8),
        ] {
            #expect(IPAddress(bytes.span) == nil)
        }
    }

    @Test(arguments: ["127.0.0.1:80", "0.0.0.0:0", "[::1]:65535", "[2001:db8::1]:443"])
    func `an address is the same after its way through the system's form`(text: String) throws {
        let address = try #require(SocketAddress(listening: text))
        #expect(address.description == text)
        let back = address.withSockaddr { pointer, length in
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
            return SocketAddress(storage)
        }
        #expect(back == address)
    }

    @Test func `a path is cut where the system would not take more, and keeps its end`() {
        let path = "/" + String(repeating: "p", count: 200)
        let taken = SocketAddress.unix(path: path).withSockaddr { pointer, _ in
            pointer.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sun_path) { bytes in bytes.firstIndex(of: 0) }
            }
        }
        #expect(taken == 107)
        #expect(SocketAddress.unix(path: "/run/redis").description == "unix:/run/redis")
    }

    @Test func `a family that is no network's has no address`() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        #expect(SocketAddress(storage) == nil)
    }

    @Test func `a name that nobody has is no address`() {
        #expect(Resolver.addresses(of: "name.invalid", port: 80).isEmpty)
        #expect(Resolver.addresses(of: "", port: 80).allSatisfy { $0.description.contains("80") })
    }
}
