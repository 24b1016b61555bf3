import Glibc

/// A mail server of a test's own on 127.0.0.1 (Debian's `python3-aiosmtpd`), which may be told to break, stopped and started again. It is
/// gone when the test lets go of it.
package final class TestSMTPServer {
    package enum Security: Sendable {
        /// From the first byte on.
        case tls(TestCertificate)
        /// It offers STARTTLS.
        case startTLS(TestCertificate)
        case none
    }

    /// A mail that it has taken.
    package struct Message: Equatable, Sendable {
        package let isSecure: Bool
        /// Who has signed in; empty if nobody has.
        package let username: String
        package let sender: String
        package let recipients: [String]
        /// Byte for byte, dots at the beginning of lines as they were meant.
        package let content: [UInt8]

        package var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// Where it breaks.
    package enum Place: Hashable, Sendable {
        case greeting
        /// `EHLO`, `STARTTLS`, `AUTH`, `MAIL`, `RCPT`, `DATA`, `NOOP` or `QUIT`.
        case command(String)
        /// RCPT, for one recipient.
        case recipient(String)
        /// Where it has the whole content, up to the final dot.
        case content
    }

    package enum Fault: Hashable, Sendable {
        /// Such as `451 later`, in place of its own; lines of a longer one are joined by CR LF.
        case reply(String)
        /// It says nothing any more.
        case silence
        /// It waits until this fault is none any more, and goes on.
        case hold
        /// It resets the connection.
        case close
        /// For the content: it takes the mail, and resets the connection before it has said so.
        case lose
        /// It begins a reply, and never ends it.
        case flood
        /// For `STARTTLS`: it says more in plain text behind its reply, as somebody between us and the server could.
        case injection
    }

    package struct Failure: Error {
        package let reason: String
    }

    package let port: UInt16
    private let directory: TestDirectory
    private let arguments: [String]
    private var server: ChildProcess?

    /// Starts a server and waits until it listens.
    /// - Parameters:
    ///   - login: the name and the password that it takes; nil for none.
    ///   - mechanisms: what it offers of SASL.
    package init(
        _ security: Security = .none, login: (name: String, password: String)? = nil, mechanisms: [String] = ["PLAIN", "LOGIN"],
        faults: [Place: Fault] = [:]
    ) throws {
        directory = try TestDirectory()
        port = try freePort()
        var arguments: [String] = []
        switch security {
        case .tls(let certificate): arguments += ["--tls", "--certificate", certificate.certificatePath, certificate.keyPath]
        case .startTLS(let certificate):
            arguments += ["--starttls", "--certificate", certificate.certificatePath, certificate.keyPath]
        case .none: break
        }
        if let login { arguments += ["--login", login.name, login.password] }
        self.arguments = arguments + ["--mechanisms", mechanisms.joined(separator: ",")]
        try setFaults(faults)
        try start()
    }

    deinit {
        stop()
    }

    /// Starts the server again where it was, with the mail that it has.
    package func start() throws {
        let ready = "\(directory.path)/ready"
        unlink(ready)
        let log = "\(directory.path)/log"
        let server = try ChildProcess(
            "/usr/bin/python3", ["-W", "ignore", Self.script, directory.path, "\(port)"] + arguments, outputPath: log)
        self.server = server
        while access(ready, F_OK) != 0 {
            guard server.isRunning else { throw Failure(reason: (try? TestFile.text(of: log)) ?? "the mail server has ended") }
            usleep(5_000)
        }
    }

    /// Kills the server and waits until it has ended.
    package func stop() {
        server?.send(SIGKILL)
        server?.waitForExit()
        server = nil
    }

    /// The server stands still: connections are taken by the kernel, nothing is said.
    package func pause() {
        server?.pause()
    }

    package func resume() {
        server?.send(SIGCONT)
    }

    /// From now on, in place of those before.
    package func setFaults(_ faults: [Place: Fault]) throws {
        let lines = faults.map { "\($0.key.text)\t\($0.value.text)\n" }
        let part = "\(directory.path)/faults.part"
        unlink(part)
        try TestFile.write(lines.joined(), to: part)
        guard rename(part, "\(directory.path)/faults") == 0 else { throw Failure(reason: "the faults cannot be told") }
    }

    /// What it has taken, in the order of arrival.
    package func messages() throws -> [Message] {
        var messages: [Message] = []
        while let bytes = try? TestFile.bytes(of: "\(directory.path)/\(messages.count + 1).mail") {
            messages.append(try Message(bytes))
        }
        return messages
    }

    /// Every line that clients have sent besides content, with `tls` or `plain` in front; `(credentials)` and `(content)` stand for them.
    package func commands() -> [String] {
        ((try? TestFile.text(of: "\(directory.path)/commands")) ?? "").split(separator: "\n").map(String.init)
    }

    private static var script: String {
        "\(#filePath)".split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/smtp-server.py"
    }
}

extension TestSMTPServer.Message {
    fileprivate init(_ bytes: [UInt8]) throws {
        var lines: [String] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
            if lines.count > 3, lines.last?.isEmpty == true { break }
        }
        guard lines.count > 4 else { throw TestSMTPServer.Failure(reason: "a mail is not complete") }
        isSecure = lines[0] == "tls"
        username = lines[1]
        sender = lines[2]
        recipients = Array(lines[3..<(lines.count - 1)])
        content = Array(rest)
    }
}

extension TestSMTPServer.Place {
    fileprivate var text: String {
        switch self {
        case .greeting: "greeting"
        case .command(let name): name
        case .recipient(let address): "RCPT TO:<\(address)>"
        case .content: "content"
        }
    }
}

extension TestSMTPServer.Fault {
    fileprivate var text: String {
        switch self {
        case .reply(let text): text.split(separator: "\r\n").joined(separator: "\\r\\n")
        case .silence: "hang"
        case .hold: "hold"
        case .lose: "lose"
        case .close: "close"
        case .flood: "flood"
        case .injection: "inject"
        }
    }
}
