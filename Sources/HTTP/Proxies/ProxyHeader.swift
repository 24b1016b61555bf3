import Networking

/// What a proxy says before the first byte of a connection that it passes on: the PROXY protocol, version 1 (text) or 2 (binary), as
/// HAProxy's `proxy-protocol.txt` defines it.
enum ProxyHeader: Equatable, Sendable {
    /// The address that the proxy was connected from.
    case source(IPAddress)
    /// The proxy asks for itself, as health checks do, or does not know an IP address.
    case ownConnection

    /// The bytes are no such header, or one that is too long.
    struct Malformed: Error, Equatable {}

    /// Reads the header off the front of a connection. A pure function, to be called again with more behind the same bytes while it
    /// answers `incomplete`, which is for 4 112 bytes at most. Refuses at the first byte that no header has there.
    static func parse(_ input: Span<UInt8>) throws(Malformed) -> ParseProgress<ProxyHeader> {
        guard input.count > 0 else { return .incomplete }
        return input[0] == .ascii("P") ? try parseText(input) : try parseBinary(input)
    }
}
