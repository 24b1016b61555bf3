import Endpoints
package import HTTP
package import Networking
import Outbound
import Postgres

extension Settings {
    static let addresses = Section(
        title: "Addresses",
        settings: [
            Setting(
                "KIDOBAN_LISTEN", \.http.listen, .address,
                "Where applications reach the server. Port 0: the system chooses."),
            Setting(
                "KIDOBAN_OPERATIONS_LISTEN", \.operations.listen, .address,
                "Where health and metrics are; not for the public."),
            Setting(
                "KIDOBAN_ISSUER", \.issuer, .issuer,
                "The URL of this installation, and the `iss` of its tokens. The same on all copies."),
        ])

    static let requests = Section(
        title: "Connections and requests",
        settings: [
            Setting(
                "KIDOBAN_MAX_CONNECTIONS", \.http.maximumConnections, .count(1...1_000_000),
                "Connections of the process, if open files suffice. Idle ones give way."),
            Setting(
                "KIDOBAN_MAX_CONNECTIONS_PER_ADDRESS", \.http.connectionsPerAddress, .count(1...1_000_000),
                "Those of one client address, or /64 of IPv6. Trusted proxies may have any number."),
            Setting(
                "KIDOBAN_CONNECTION_MEMORY", \.http.connectionMemory, .size(1024 * 1024...16 * 1024 * 1024 * 1024),
                "What all connections may hold of unfinished requests and unread answers: at least four times "
                    + "`KIDOBAN_MAX_BODY`. Beyond it connections of the greatest holder are closed."),
            Setting(
                "KIDOBAN_MAX_REQUEST_LINE", \.http.limits.requestLine, .size(256...64 * 1024),
                "A longer request line gets 414."),
            Setting(
                "KIDOBAN_MAX_HEADER_SECTION", \.http.limits.headerSection, .size(1024...256 * 1024),
                "A larger header section gets 431."),
            Setting(
                "KIDOBAN_MAX_HEADER_FIELDS", \.http.limits.fieldCount, .count(10...1000),
                "More header fields get 431."),
            Setting(
                "KIDOBAN_MAX_BODY", \.http.limits.body, .size(1024...64 * 1024 * 1024),
                "A larger body gets 413. Up to 64 KiB it bounds head and body together."),
            Setting(
                "KIDOBAN_HEADER_TIMEOUT", \.http.limits.headTimeout, .duration(.milliseconds(100) ... .minutes(10)),
                "How long the head of a request may take; then 408."),
            Setting(
                "KIDOBAN_BODY_TIMEOUT", \.http.limits.bodyTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long its body may take after that; then 408."),
            Setting(
                "KIDOBAN_IDLE_TIMEOUT", \.http.limits.idleTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long a connection may be silent between requests. Longer than the balancer's own."),
            Setting(
                "KIDOBAN_WRITE_TIMEOUT", \.http.limits.writeTimeout, .duration(.milliseconds(100) ... .hours(1)),
                "How long a client may leave its answer unread."),
        ])
}

extension Configuration {
    /// Where applications reach the server, and what they may send.
    package struct HTTP: Sendable {
        /// Port 0 lets the kernel choose.
        package var listen: SocketAddress = .ip(.v4(0), port: 8080)
        /// Accepted connections of the process, over all loops and both listeners; fewer when descriptors are scarce.
        package var maximumConnections = 10_000
        /// Of those at most so many of one address, or of one /64 of IPv6, unless it is a trusted proxy's.
        package var connectionsPerAddress = 1000
        /// Bytes that all connections together may hold of requests that are not whole and of answers that are not read.
        package var connectionMemory = 64 * 1024 * 1024
        package var limits = Limits()
        /// Who is believed what it says of its clients' addresses.
        package var proxies = TrustedProxies()

        package init() {}
    }

    /// Where health and metrics are served.
    package struct Operations: Sendable {
        /// At once: what asks there are a few balancers and collectors.
        static let maximumConnections = 100

        /// Port 0 lets the kernel choose.
        package var listen: SocketAddress = .ip(.v4(0x7F00_0001), port: 9090)

        package init() {}
    }

    /// How many file descriptors the process needs beside those of accepted connections: loops, listeners, stores, other servers, the
    /// operations listener, and a reserve. A mail server may be replaced by another one, and both are in use for a moment.
    var ownDescriptors: Int {
        loopCount * (database.connectionsPerLoop + 8) + 2 + Operations.maximumConnections
            + 4 * outbound.descriptorCount + 2 * SMTPConfiguration.descriptorCount(threads: mail.connections)
            + ConnectionBudget.reservedDescriptors
    }
}

extension SettingFormat where Value == SocketAddress {
    /// Where to listen.
    static var address: SettingFormat {
        SettingFormat(
            "an IP address and a port, such as 127.0.0.1:8080, [::1]:8080 or :8080",
            parse: { text throws(SettingRefusal) in
                guard let address = SocketAddress(listening: text) else {
                    throw SettingRefusal("is not an IP address and a port")
                }
                return address
            },
            render: { value, _ in value.description })
    }
}
