import Glibc
import Networking
import TestSupport
import Testing
import Text

@testable import Outbound

/// Against aiosmtpd, which a test may tell to break.
@Suite(.timeLimit(.minutes(10))) struct SMTPClientTests {
    private let directory: TestDirectory
    private let certificate: TestCertificate
    private let mail = SMTPMessage(
        sender: "kidoban@id.example", recipient: "ann@mail.example",
        content: Array("Subject: s3cret-subject\r\n\r\nHello\r\n".utf8))

    enum Way: CaseIterable {
        case tls, startTLS, plain

        var security: SMTPConfiguration.Security {
            switch self {
            case .tls: .tls
            case .startTLS: .startTLS
            case .plain: .none
            }
        }
    }

    init() throws {
        directory = try TestDirectory()
        certificate = try TestCertificate(names: ["DNS:localhost", "IP:127.0.0.1"], in: directory)
    }

    private func server(
        _ way: Way = .plain, login: (name: String, password: String)? = nil, mechanisms: [String] = ["PLAIN", "LOGIN"],
        faults: [TestSMTPServer.Place: TestSMTPServer.Fault] = [:]
    ) throws -> TestSMTPServer {
        let security: TestSMTPServer.Security =
            switch way {
            case .tls: .tls(certificate)
            case .startTLS: .startTLS(certificate)
            case .plain: .none
            }
        return try TestSMTPServer(security, login: login, mechanisms: mechanisms, faults: faults)
    }

    private func configuration(
        _ port: UInt16, _ way: Way = .plain, _ change: (inout SMTPConfiguration) -> Void = { _ in }
    ) -> SMTPConfiguration {
        var configuration = SMTPConfiguration(
            host: "localhost", port: port, security: way.security, authoritiesFile: certificate.authorityPath,
            greetingName: "id.example")
        // What a busy machine keeps.
        configuration.connectTimeout = .seconds(60)
        configuration.timeout = .seconds(60)
        change(&configuration)
        return configuration
    }

    private func client(
        _ server: TestSMTPServer, _ way: Way = .plain, _ change: (inout SMTPConfiguration) -> Void = { _ in }
    ) -> SMTPClient {
        SMTPClient(configuration(server.port, way, change))
    }

    /// Why the mail was not taken; nil if it was.
    private func failure(_ client: SMTPClient, _ message: SMTPMessage? = nil) async -> SMTPError? {
        defer { client.stop() }
        do throws(SMTPError) {
            try await client.send(message ?? mail)
            return nil
        } catch {
            return error
        }
    }

    private func isTLS(_ error: SMTPError?) -> Bool {
        if case .tls? = error { true } else { false }
    }

    private func isConnection(_ error: SMTPError?) -> Bool {
        if case .connection? = error { true } else { false }
    }

    private func isAuthentication(_ error: SMTPError?) -> Bool {
        if case .authentication? = error { true } else { false }
    }

    @Test(arguments: Way.allCases)
    func `a mail arrives as it is, with the sender and the recipient`(way: Way) async throws {
        let server = try server(way)
        #expect(await failure(client(server, way)) == nil)
        let messages = try server.messages()
        #expect(messages.map(\.sender) == ["kidoban@id.example"])
        #expect(messages.map(\.recipients) == [["ann@mail.example"]])
        #expect(messages.map(\.content) == [mail.content])
        #expect(messages.map(\.isSecure) == [way != .plain])
        #expect(server.commands().contains { $0.hasSuffix(" EHLO id.example") })
        // The mail is taken before that, and a server that is slow to say goodbye is not waited for.
        try await eventually { server.commands().contains { $0.hasSuffix(" QUIT") } }
    }

    @Test func `what the environment says of proxies is not heeded`() async {
        // In a process of its own: the environment is everybody's, and nobody else may read it while it is changed.
        await #expect(processExitsWith: .success) {
            // Where there is none.
            for name in ["all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
            let server = try TestSMTPServer()
            let client = SMTPClient(
                SMTPConfiguration(
                    host: "127.0.0.1", port: server.port, security: .none, greetingName: "id.example",
                    connectTimeout: .seconds(60), timeout: .seconds(60)))
            let content = Array("Subject: a\r\n\r\nb\r\n".utf8)
            try await client.send(SMTPMessage(sender: "a@b.example", recipient: "c@d.example", content: content))
            client.stop()
            let messages = try server.messages()
            precondition(messages.count == 1)
        }
    }

    @Test(arguments: Way.allCases, [["PLAIN", "LOGIN"], ["LOGIN"]])
    func `who has credentials signs in`(way: Way, mechanisms: [String]) async throws {
        let server = try server(way, login: ("ann", "pässword ‹1›"), mechanisms: mechanisms)
        let client = client(server, way) {
            $0.username = "ann"
            $0.password = SecretString("pässword ‹1›")
        }
        #expect(await failure(client) == nil)
        #expect(try server.messages().map(\.username) == ["ann"])
        let secrets = server.commands().filter { $0.hasSuffix("(credentials)") }
        #expect(!secrets.isEmpty)
        #expect(way == .plain || secrets.allSatisfy { $0.hasPrefix("tls ") })
    }

    @Test func `content arrives byte for byte, whatever its lines begin with and however long they are`() async throws {
        let longest = String(repeating: "x", count: 998)
        let lines = [
            ".", "..", ".a", "", ".", "", "a.", longest, "." + longest.dropLast(), "QUIT", "From a", " \t", "", ".", "..", "...",
        ]
        var contents = [lines.map { "\($0)\r\n" }.joined(), ".\r\n", "\r\n"]
        // Dots at every place of the blocks that libcurl reads and sends.
        contents += (0..<3).map { String(repeating: "a", count: $0) + "\r\n" + String(repeating: ".\r\n", count: 100_000) }
        let server = try server()
        for content in contents {
            let mail = SMTPMessage(sender: "a@b.example", recipient: "c@d.example", content: Array(content.utf8))
            #expect(await failure(client(server), mail) == nil)
        }
        let messages = try server.messages()
        #expect(messages.count == contents.count)
        for (message, content) in zip(messages, contents) { #expect(message.content.elementsEqual(content.utf8)) }
    }

    @Test(arguments: ["MAIL", "RCPT", "DATA", "content"])
    func `the server's reply says whether to try again`(place: String) async throws {
        let server = try server()
        for (reply, error) in [
            ("421 bye", SMTPError.deferred(421)), ("451 4.7.1 greylisted", .deferred(451)),
            ("452-first\r\n452 last", .deferred(452)),
            ("550 5.1.1 nobody", .refused(550)), ("552 full", .refused(552)), ("554-first\r\n554 last", .refused(554)),
            ("530 5.7.0 sign in", .authentication("the server answered 530")),
        ] {
            try server.setFaults([place == "content" ? .content : .command(place): .reply(reply)])
            #expect(await failure(client(server)) == error)
        }
        #expect(try server.messages().isEmpty)
        try server.setFaults([:])
        #expect(await failure(client(server)) == nil)
    }

    @Test func `one recipient that is refused is no other's concern`() async throws {
        let server = try server(faults: [.recipient("bob@mail.example"): .reply("550 nobody")])
        let client = client(server)
        try await client.send(mail)
        let other = SMTPMessage(sender: mail.sender, recipient: "bob@mail.example", content: mail.content)
        await #expect(throws: SMTPError.refused(550)) { try await client.send(other) }
        client.stop()
        #expect(try server.messages().map(\.recipients) == [["ann@mail.example"]])
    }

    @Test(arguments: ["421 busy", "554 not you", "nonsense"])
    func `a greeting that turns everybody away is no verdict on the mail`(reply: String) async throws {
        let server = try server(faults: [.greeting: .reply(reply)])
        let error = await failure(client(server) { $0.timeout = .seconds(2) })
        #expect(isConnection(error) || error == .timedOut, "\(String(describing: error))")
    }

    @Test func `a wrong password is the configuration's fault, a server that cannot look is not`() async throws {
        let server = try server(.startTLS, login: ("ann", "right"))
        func attempt() async -> SMTPError? {
            await failure(
                client(server, .startTLS) {
                    $0.username = "ann"
                    $0.password = SecretString("hunter2")
                })
        }
        #expect(await attempt() == .authentication("the server answered 535"))
        try server.setFaults([.command("AUTH"): .reply("454 4.7.0 later hunter2")])
        #expect(isConnection(await attempt()))
        #expect(try server.messages().isEmpty)
        #expect(!server.commands().contains { $0.contains("MAIL") })
    }

    @Test func `a server that offers no way to sign in gets no mail from who wants to`() async throws {
        let server = try server(mechanisms: [])
        func attempt() async -> SMTPError? {
            await failure(
                client(server) {
                    $0.username = "ann"
                    $0.password = SecretString("hunter2")
                })
        }
        #expect(await attempt() == .authentication("the server offers no authentication"))
        try server.setFaults([.command("EHLO"): .reply("250-mail.example\r\n250 AUTH CRAM-MD5 XOAUTH2 NTLM")])
        #expect(await attempt() == .authentication("the server offers neither PLAIN nor LOGIN"))
        #expect(!server.commands().contains { $0.contains("MAIL") || $0.contains("AUTH") })
    }

    @Test func `credentials are not sent to another machine in plain text`() async throws {
        var configuration = configuration(25)
        configuration.host = "name.invalid"
        // Without credentials it asks for that name; where there is no name server, or a slow one, until the time is up.
        let nameless = await failure(SMTPClient(configuration))
        #expect(isConnection(nameless) || nameless == .timedOut)
        configuration.username = "ann"
        #expect(await failure(SMTPClient(configuration)) == .authentication("credentials are sent over TLS only"))
        for host in ["10.0.0.1", "localhost.example", "127.0.0.1.example", "::2"] {
            configuration.host = host
            #expect(await failure(SMTPClient(configuration)) == .authentication("credentials are sent over TLS only"))
        }
    }

    @Test(arguments: [Way.tls, .startTLS])
    func `a server of another authority or another name gets nothing`(way: Way) async throws {
        let server = try server(way)
        let other = try TestCertificate(names: ["DNS:localhost"], in: directory)
        #expect(isTLS(await failure(client(server, way) { $0.authoritiesFile = other.authorityPath })))
        #expect(isTLS(await failure(client(server, way) { $0.authoritiesFile = nil })))
        #expect(isTLS(await failure(client(server, way) { $0.authoritiesFile = "/nowhere" })))
        let named = try TestCertificate(names: ["DNS:mail.example"], in: directory)
        let wrong = try TestSMTPServer(way == .tls ? .tls(named) : .startTLS(named))
        #expect(isTLS(await failure(client(wrong, way) { $0.authoritiesFile = named.authorityPath })))
        for server in [server, wrong] {
            #expect(try server.messages().isEmpty)
            #expect(server.commands().allSatisfy { $0 == "plain EHLO id.example" || $0 == "plain STARTTLS" })
        }
    }

    @Test func `nothing is sent to a server that has no TLS for us`() async throws {
        let stripped = try server(.plain, login: ("ann", "right"))
        func attempt(_ server: TestSMTPServer, _ way: Way) async -> SMTPError? {
            await failure(
                client(server, way) {
                    $0.username = "ann"
                    $0.password = SecretString("right")
                })
        }
        #expect(isTLS(await attempt(stripped, .startTLS)))
        #expect(isTLS(await attempt(stripped, .tls)))
        let refusing = try server(.startTLS, login: ("ann", "right"), faults: [.command("STARTTLS"): .reply("454 not now")])
        #expect(isTLS(await attempt(refusing, .startTLS)))
        // Without EHLO there is no STARTTLS either.
        try refusing.setFaults([.command("EHLO"): .reply("502 what")])
        #expect(isConnection(await attempt(refusing, .startTLS)))
        for server in [stripped, refusing] {
            #expect(try server.messages().isEmpty)
            #expect(server.commands().allSatisfy { ["plain EHLO id.example", "plain STARTTLS", "plain QUIT"].contains($0) })
        }
    }

    @Test func `what is said in plain text behind STARTTLS ends it`() async throws {
        let server = try server(.startTLS, faults: [.command("STARTTLS"): .injection])
        #expect(isConnection(await failure(client(server, .startTLS))))
        #expect(server.commands() == ["plain EHLO id.example", "plain STARTTLS"])
    }

    @Test(arguments: [
        ("a@b.example\r\nRCPT TO:<x@y.example>", "c@d.example"), ("a@b.example", "c@d.example\r\nDATA"),
        ("a@b.example", "c@d.example\n"),
        ("a@b.example", "c@d.example> X=y"), ("a@b.example", "c d@e.example"), ("", "c@d.example"),
    ])
    func `an address that is none is refused before anybody is asked`(sender: String, recipient: String) async throws {
        let listening = try TestSocket(listeningOn: 0)
        let client = SMTPClient(configuration(listening.port) { $0.timeout = .milliseconds(200) })
        let mail = SMTPMessage(sender: sender, recipient: recipient, content: mail.content)
        #expect(await failure(client, mail) == .invalidMessage)
    }

    @Test(arguments: ["a\nb\r\n", "a\r\n.\nb\r\n", String(repeating: "x", count: 999) + "\r\n", ""])
    func `so is content that another server could read in another way`(content: String) async throws {
        let listening = try TestSocket(listeningOn: 0)
        let client = SMTPClient(configuration(listening.port) { $0.timeout = .milliseconds(200) })
        let mail = SMTPMessage(sender: mail.sender, recipient: mail.recipient, content: Array(content.utf8))
        #expect(await failure(client, mail) == .invalidMessage)
    }

    private static let places: [TestSMTPServer.Place] = [
        .greeting, .command("EHLO"), .command("STARTTLS"), .command("AUTH"), .command("MAIL"), .command("RCPT"), .command("DATA"),
        .content,
    ]

    /// One that breaks there, and a client that comes by all of these places.
    private func breaking(
        _ place: TestSMTPServer.Place, _ fault: TestSMTPServer.Fault, timeout: Duration = .seconds(60)
    ) throws -> (TestSMTPServer, SMTPClient) {
        let server = try server(.startTLS, login: ("ann", "right"), faults: [place: fault])
        let client = client(server, .startTLS) {
            $0.username = "ann"
            $0.password = SecretString("right")
            $0.timeout = timeout
        }
        return (server, client)
    }

    @Test(arguments: places)
    func `a server that says nothing any more costs no more than the time`(place: TestSMTPServer.Place) async throws {
        let (server, client) = try breaking(place, .silence, timeout: .seconds(2))
        #expect(await failure(client) == .timedOut)
        #expect(try server.messages().isEmpty)
    }

    @Test(arguments: places)
    func `a connection that breaks, wherever it does, is no mail`(place: TestSMTPServer.Place) async throws {
        let (server, client) = try breaking(place, .close)
        let error = await failure(client)
        #expect(isConnection(error) || place == .command("STARTTLS") && isTLS(error), "\(String(describing: error))")
        #expect(try server.messages().isEmpty)
    }

    @Test(arguments: [TestSMTPServer.Place.command("EHLO"), .command("MAIL"), .content])
    func `a reply without an end ends at the limit`(place: TestSMTPServer.Place) async throws {
        let (_, client) = try breaking(place, .flood)
        #expect(isConnection(await failure(client)))
    }

    @Test func `a server that does not say goodbye has the mail`() async throws {
        let server = try server(faults: [.command("QUIT"): .silence])
        #expect(await failure(client(server)) == nil)
        try server.setFaults([.command("QUIT"): .close])
        #expect(await failure(client(server)) == nil)
        #expect(try server.messages().count == 2)
        // Nor does silence then make a refusal another one.
        try server.setFaults([.command("QUIT"): .silence, .command("RCPT"): .reply("550 nobody")])
        #expect(await failure(client(server)) == .refused(550))
    }

    @Test func `nobody there is a failed connection, and a server that comes back gets the mail`() async throws {
        let server = try server()
        server.stop()
        #expect(isConnection(await failure(client(server))))
        try server.start()
        #expect(await failure(client(server)) == nil)
    }

    @Test(arguments: ["", "a b", "a/b", "a\r\nb", "ä.example", "a@b", "a?b", "a%20b", String(repeating: "a", count: 256)])
    func `a name that is none is no greeting, and no host`(name: String) async throws {
        #expect(isConnection(await failure(SMTPClient(configuration(1) { $0.greetingName = name }))))
        #expect(isConnection(await failure(SMTPClient(configuration(1) { $0.host = name }))))
    }

    @Test func `an address literal is a greeting`() async throws {
        let server = try server()
        #expect(await failure(client(server) { $0.greetingName = "[192.0.2.1]" }) == nil)
        #expect(server.commands().first == "plain EHLO [192.0.2.1]")
    }

    @Test func `fifty mails at once arrive, each once`() async throws {
        let server = try server(.startTLS)
        let client = client(server, .startTLS) { $0.threads = 4 }
        let contents = (0..<50).map { "Subject: \($0)\r\n\r\nmail \($0)\r\n" }
        try await withThrowingTaskGroup { group in
            for content in contents {
                let message = SMTPMessage(sender: mail.sender, recipient: mail.recipient, content: Array(content.utf8))
                group.addTask { try await client.send(message) }
            }
            try await group.waitForAll()
        }
        client.stop()
        #expect(try server.messages().map(\.text).sorted() == contents.sorted())
    }

    @Test func `beyond the bound of the queue the answer is no, at once`() async throws {
        // It takes connections and says nothing.
        let listening = try TestSocket(listeningOn: 0)
        let client = SMTPClient(
            configuration(listening.port) {
                $0.threads = 1
                $0.queueLimit = 1
            })
        @Sendable func failure() async -> SMTPError? {
            do throws(SMTPError) {
                try await client.send(mail)
                return nil
            } catch {
                return error
            }
        }
        let refused = try await withThrowingTaskGroup(of: SMTPError?.self) { group in
            group.addTask { await failure() }
            // The thread has it.
            let first = try await onThread { try listening.accept() }
            for _ in 0..<4 { group.addTask { await failure() } }
            var refused: [SMTPError?] = []
            while refused.count < 3, let failure = try await group.next() { refused.append(failure) }
            first.endSending()
            listening.stopListening()
            while let failure = try await group.next() { #expect(isConnection(failure), "\(String(describing: failure))") }
            return refused
        }
        #expect(refused == [.overloaded, .overloaded, .overloaded])
        client.stop()
        await #expect(throws: SMTPError.overloaded) { try await client.send(mail) }
    }

    @Test func `a check goes as far as a mail could be sent, and sends none`() async throws {
        let server = try server(.startTLS, login: ("ann", "right"))
        func check(_ password: String) async throws {
            let client = client(server, .startTLS) {
                $0.username = "ann"
                $0.password = SecretString(password)
            }
            defer { client.stop() }
            try await client.check()
        }
        try await check("right")
        try await eventually { server.commands().contains { $0.hasSuffix(" QUIT") } }
        #expect(
            server.commands().map { $0.split(separator: " ")[1] } == [
                "EHLO", "STARTTLS", "EHLO", "AUTH", "(credentials)", "NOOP", "QUIT",
            ])
        await #expect(throws: SMTPError.authentication("the server answered 535")) { try await check("wrong") }
        try server.setFaults([.greeting: .reply("554 not you")])
        await #expect(throws: SMTPError.self) { try await check("right") }
        #expect(try server.messages().isEmpty)
    }

    @Test func `no error tells what was sent, nor a secret that the server repeats`() async throws {
        let server = try server(.startTLS, login: ("s3cret-name", "right"))
        let words = ["s3cret", "hunter2", "ann@mail.example", "kidoban@id.example"]
        for place in Self.places {
            for code in [421, 535, 550, 999] {
                try server.setFaults([place: .reply("\(code) \(words.joined(separator: " "))")])
                for password in ["right", "hunter2-s3cret"] {
                    let configuration = configuration(server.port, .startTLS) {
                        $0.username = "s3cret-name"
                        $0.password = SecretString(password)
                    }
                    let error = try #require(await failure(SMTPClient(configuration)))
                    for word in words { #expect(!"\(error)".contains(word), "\(error)") }
                    #expect(!"\(configuration)".contains("hunter2"))
                }
            }
        }
    }
}
