import Networking
import Testing

@testable import HTTP

@Suite("TrustedProxies: the client of a request")
struct ForwardedClientTests {
    private static let blocks = (try? [AddressBlock("10.0.0.0/8"), AddressBlock("fd00::/8")]) ?? []

    private static let many = String(repeating: "10.0.0.1,", count: 900)

    private static func hops(_ count: Int) -> String {
        Array(repeating: "10.0.0.1", count: count).joined(separator: ",")
    }

    private func client(_ lines: [String], _ field: ForwardedField) throws -> ForwardedClient {
        TrustedProxies(Self.blocks, field: field).client(toldBy: try parsedHead(fields: lines))
    }

    private func address(_ text: String) throws -> ForwardedClient {
        .address(try #require(IPAddress(text)))
    }

    static let told: [([String], String)] = [
        // One hop.
        (["203.0.113.9"], "203.0.113.9"), (["203.0.113.9:4711"], "203.0.113.9"), (["203.0.113.9:0"], "203.0.113.9"),
        (["2001:db8::9"], "2001:db8::9"), (["[2001:db8::9]"], "2001:db8::9"), (["[2001:DB8::9]:4711"], "2001:db8::9"),
        (["::ffff:203.0.113.9"], "203.0.113.9"), (["[::ffff:203.0.113.9]:1"], "203.0.113.9"), (["\t203.0.113.9 "], "203.0.113.9"),
        // What a client says stands on the left of what the proxy has seen.
        (["198.51.100.1, 203.0.113.9"], "203.0.113.9"), (["198.51.100.1,203.0.113.9"], "203.0.113.9"),
        (["a, 203.0.113.9"], "203.0.113.9"), ([", 203.0.113.9"], "203.0.113.9"), (["\", 203.0.113.9"], "203.0.113.9"),
        (["unknown, 203.0.113.9"], "203.0.113.9"), ([many + "203.0.113.9"], "203.0.113.9"),
        // Over trusted hops.
        (["203.0.113.9, 10.0.0.2"], "203.0.113.9"), (["198.51.100.1, 203.0.113.9, fd00::1, 10.0.0.2:80"], "203.0.113.9"),
        (["203.0.113.9, ::ffff:10.0.0.2"], "203.0.113.9"), (["203.0.113.9, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        // All are trusted: the farthest.
        (["10.0.0.3, 10.0.0.2"], "10.0.0.3"), (["10.0.0.3"], "10.0.0.3"),
        // Several lines are one list.
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"), (["a", "203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (["a, 203.0.113.9, 10.0.0.3", "fd00::1, 10.0.0.2"], "203.0.113.9"), (["10.0.0.3", "10.0.0.2"], "10.0.0.3"),
        ([hops(32)], "10.0.0.1"),
    ]

    @Test(arguments: told)
    func `the first address from the right that is no trusted proxy's is the client's`(lines: [String], expected: String) throws {
        #expect(try client(lines.map { "X-Forwarded-For: \($0)" }, .xForwardedFor) == address(expected))
        #expect(try client(lines.map { "x-FORWARDED-for:\($0)" }, .xForwardedFor) == address(expected))
    }

    static let untold: [[String]] = [
        [""], [","], ["a"], ["unknown"], ["_hidden"], ["203.0.113"], ["203.0.113.9:"], ["203.0.113.9:123456"], ["203.0.113.9:x"],
        ["203.0.113.09"], ["203.0.113.9/32"], ["203.0.113.9 10.0.0.2"], ["[203.0.113.9]"], ["[2001:db8::9"], ["2001:db8::9]"],
        ["[2001:db8::9]4711"], ["[2001:db8::9]:"], ["[2001:db8::9]:_"], ["[]"], ["[::1%lo]"], ["fe80::1%eth0"],
        ["for=203.0.113.9"],
        ["\"203.0.113.9\""], ["203.0.113.9,"], ["203.0.113.9, "], ["203.0.113.9, a"], ["203.0.113.9, unknown, 10.0.0.2"],
        ["203.0.113.9, , 10.0.0.2"], ["203.0.113.9", ""], ["203.0.113.9", "a"], ["a", "10.0.0.2"], [",10.0.0.2"], [":"],
        ["::", "::x"],
        [many], [hops(33)],
        ["203.0.113.9", hops(32)],
    ]

    @Test(arguments: untold)
    func `what cannot be read where an address is needed is no address`(lines: [String]) throws {
        #expect(try client(lines.map { "X-Forwarded-For: \($0)" }, .xForwardedFor) == .malformed)
    }

    static let toldByForwarded: [([String], String)] = [
        (["for=203.0.113.9"], "203.0.113.9"), (["For=\"203.0.113.9:4711\""], "203.0.113.9"),
        (["for=203.0.113.9:4711"], "203.0.113.9"),
        (["for=\"[2001:db8::9]:4711\""], "2001:db8::9"), (["FOR=\"[2001:db8::9]\""], "2001:db8::9"),
        (["for=\"203.0.113.9:_port\""], "203.0.113.9"), (["for=192.0.2.60;proto=http;by=203.0.113.43"], "192.0.2.60"),
        (["by=203.0.113.43;proto=https;for=192.0.2.60"], "192.0.2.60"), (["proto=http; for=192.0.2.60 ; host=a"], "192.0.2.60"),
        ([";for=192.0.2.60;"], "192.0.2.60"), (["host=\"a,b;for=1.1.1.1\";for=192.0.2.60"], "192.0.2.60"),
        (["for=198.51.100.1, for=203.0.113.9"], "203.0.113.9"), (["for=203.0.113.9, for=\"[fd00::1]:8080\""], "203.0.113.9"),
        (["for=203.0.113.9;by=10.0.0.3, for=10.0.0.3;by=10.0.0.2"], "203.0.113.9"),
        (["for=203.0.113.9", "for=10.0.0.2"], "203.0.113.9"),
        // What is left open on the left does not reach over the comma that the proxy wrote.
        (["for=\"198.51.100.1, for=203.0.113.9"], "203.0.113.9"), (["\", for=203.0.113.9"], "203.0.113.9"),
        (["for=198.51.100.1;x=\"\\, for=\"203.0.113.9\""], "203.0.113.9"), (["for=\"x", "for=203.0.113.9"], "203.0.113.9"),
        (["for=_hidden, for=203.0.113.9"], "203.0.113.9"), (["for=10.0.0.3"], "10.0.0.3"),
    ]

    @Test(arguments: toldByForwarded)
    func `Forwarded is read alike`(lines: [String], expected: String) throws {
        #expect(try client(lines.map { "Forwarded: \($0)" }, .forwarded) == address(expected))
    }

    static let untoldByForwarded: [[String]] = [
        [""], ["203.0.113.9"], ["for="], ["for=\"\""], ["for=unknown"], ["for=\"unknown:4711\""], ["for=_hidden"],
        ["for=\"_hidden:_p\""],
        ["proto=http"], ["for=203.0.113.9;for=198.51.100.1"], ["for=203.0.113.9;FOR=203.0.113.9"], ["for=\"203.0.113.9"],
        ["for=203.0.113.9\""], ["for=\"203.0.113.9\"x"], ["for=\"203\\.0.113.9\""], ["for=\"203.0.113.9\\\""],
        ["for= 203.0.113.9"],
        ["for =203.0.113.9"], ["for=203.0.113.9;broken"], ["for=203.0.113.9,"], ["for=203.0.113.9, by=10.0.0.2"], ["for"],
        ["=203.0.113.9"],
        ["for=203.0.113.9, for=unknown, for=10.0.0.2"], ["for=203.0.113.9", ""], [";"], ["for=[2001:db8::9"],
        ["for=203.0.113.9 x"],
    ]

    @Test(arguments: untoldByForwarded)
    func `an element of Forwarded without one valid address is none`(lines: [String]) throws {
        #expect(try client(lines.map { "Forwarded: \($0)" }, .forwarded) == .malformed)
    }

    @Test func `only the field that is believed is looked at, under its own name`() throws {
        let lies = ["X_Forwarded_For: 203.0.113.9", "X-Forwarded-For-: 203.0.113.9", "X-Real-IP: 203.0.113.9", "X-Forwarded: a"]
        #expect(try client(lies + ["Forwarded: for=203.0.113.9"], .xForwardedFor) == .notTold)
        #expect(try client(lies + ["X-Forwarded-For: 203.0.113.9"], .forwarded) == .notTold)
        #expect(
            try client(lies + ["Forwarded: for=203.0.113.9", "X-Forwarded-For: 198.51.100.1"], .forwarded)
                == address("203.0.113.9"))
        #expect(
            try client(["X-Forwarded-For: 203.0.113.9", "X_Forwarded_For: 198.51.100.1"], .xForwardedFor)
                == address("203.0.113.9"))
    }

    @Test func `every prefix and every cut of a list is an answer`() throws {
        let list = #"for="[2001:db8::9]:4711";by=10.0.0.1, for="203.0.113.9:_x";proto="a;b,c", for=10.0.0.2"#
        for length in 0...list.utf8.count {
            for field in ForwardedField.allCases {
                let line = "\(field.rawValue): \(list.prefix(length))"
                _ = try client([line], field)
                _ = try client(["\(field.rawValue): \(list.dropFirst(length))", line], field)
            }
        }
    }
}
