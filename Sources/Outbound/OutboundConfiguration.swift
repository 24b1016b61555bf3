/// How other servers are reached, and what they may cost.
package struct OutboundConfiguration: Sendable {
    /// A PEM file of the certificate authorities to trust instead of the system's.
    package var authoritiesFile: String?
    /// `http://host:port` of a proxy for everything that leaves this machine. What the environment says of proxies is not heeded.
    package var proxy: String?
    /// To the end of the TLS handshake.
    package var connectTimeout: Duration = .seconds(2)
    /// From the call to the last byte, redirects and the wait for a thread included.
    package var timeout: Duration = .seconds(5)
    /// In bytes.
    package var bodyLimit = 256 * 1024
    /// Status line and fields, in bytes; those of each redirect apart.
    package var headLimit = 32 * 1024
    package var redirectLimit = 3
    /// Requests under way at once.
    package var threads = 4
    /// Requests that may wait for a thread.
    package var queueLimit = 64

    package init() {}

    /// Descriptors that may be open at once: a connection for each thread, and what looking a name up takes.
    package var descriptorCount: Int { 4 * threads }
}
