package import Text

/// Where mail is handed over (RFC 5321, RFC 6409), and how.
package struct SMTPConfiguration: Sendable {
    package enum Security: Sendable {
        /// From the first byte on (`smtps`, RFC 8314 §3.3).
        case tls
        /// STARTTLS (RFC 3207), which must succeed before anything is sent.
        case startTLS
        /// Plain text, for this machine or where it was asked for.
        case none
    }

    /// A name, or an IP address without brackets.
    package var host: String
    package var port: UInt16
    package var security: Security
    /// With the password for SASL PLAIN or LOGIN (RFC 4954), over TLS only unless the host is this machine. Nil for no authentication.
    package var username: String?
    package var password: SecretString
    /// A PEM file of the certificate authorities to trust instead of the system's.
    package var authoritiesFile: String?
    /// As which host we introduce ourselves: a name, or an address literal such as `[192.0.2.1]` (RFC 5321 §4.1.4).
    package var greetingName: String
    /// To the end of the greeting, of TLS and of authentication. Servers that keep spammers waiting take several seconds.
    package var connectTimeout: Duration
    /// From the call to the server's last answer, the wait for a thread included.
    package var timeout: Duration
    /// Connections at once.
    package var threads: Int
    /// Mails that may wait for a thread.
    package var queueLimit: Int

    package init(
        host: String, port: UInt16, security: Security, username: String? = nil, password: SecretString = SecretString(""),
        authoritiesFile: String? = nil, greetingName: String, connectTimeout: Duration = .seconds(10),
        timeout: Duration = .seconds(30), threads: Int = 2, queueLimit: Int = 64
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.username = username
        self.password = password
        self.authoritiesFile = authoritiesFile
        self.greetingName = greetingName
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.threads = threads
        self.queueLimit = queueLimit
    }

    /// Descriptors that may be open at once: a connection for each thread, and what looking a name up takes.
    package static func descriptorCount(threads: Int) -> Int { 4 * threads }
}

extension SMTPConfiguration: Equatable {
    /// Both are our own, so nobody learns anything from how long the comparison of the passwords takes.
    package static func == (left: SMTPConfiguration, right: SMTPConfiguration) -> Bool {
        left.host == right.host && left.port == right.port && left.security == right.security && left.username == right.username
            && left.password.revealedBytes == right.password.revealedBytes && left.authoritiesFile == right.authoritiesFile
            && left.greetingName == right.greetingName && left.connectTimeout == right.connectTimeout
            && left.timeout == right.timeout && left.threads == right.threads && left.queueLimit == right.queueLimit
    }
}
