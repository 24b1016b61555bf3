import CCurl
import Networking
import Testing

@testable import Outbound

@Suite struct SMTPExchangeTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private func exchange(_ content: String = "abc\r\n", needsAuthentication: Bool = false) -> SMTPExchange {
        SMTPExchange(content: Array(content.utf8), needsAuthentication: needsAuthentication, until: start + .seconds(30))
    }

    private func failure(_ code: CURLcode = CURLE_WEIRD_SERVER_REPLY) -> CurlFailure {
        CurlFailure(code, "why")
    }

    @discardableResult
    private func take(_ exchange: SMTPExchange, _ lines: String...) -> Bool {
        lines.allSatisfy { exchange.take(Array("\($0)\r\n".utf8), at: start) }
    }

    /// One that waits for what the server says of the content.
    private func sent() -> SMTPExchange {
        let exchange = exchange()
        take(exchange, "220 hello", "250 go on")
        #expect(exchange.begin())
        take(exchange, "250 sender", "250 recipient", "354 go on")
        #expect(Array(exchange.next(100)) == Array("abc\r\n".utf8))
        #expect(exchange.next(100).isEmpty)
        return exchange
    }

    @Test(arguments: [1, 2, 3, 5, 6])
    func `content is given in parts of any size`(size: Int) {
        let exchange = exchange("ab\r\n.\r\n")
        #expect(exchange.begin())
        var given: [UInt8] = []
        while case let part = exchange.next(size), !part.isEmpty {
            #expect(part.count <= size)
            given += part
        }
        #expect(given == Array("ab\r\n.\r\n".utf8))
    }

    @Test(arguments: ["250 ok", "250", "251 ok", "200 x"])
    func `a mail is taken by a good reply to all of its content, whatever libcurl says then`(line: String) {
        let exchange = sent()
        #expect(exchange.error(failure()) == .connection("why"))
        take(exchange, line)
        #expect(exchange.error(failure()) == nil)
        #expect(exchange.error(failure(CURLE_OPERATION_TIMEDOUT)) == nil)
    }

    @Test func `a reply before the end of the content decides nothing`() {
        let exchange = exchange()
        #expect(exchange.begin())
        #expect(exchange.next(2).count == 2)
        take(exchange, "250 ok")
        #expect(exchange.error(failure()) == .connection("why"))
    }

    @Test(arguments: ["250-ok", "250-", "25 ok", "2x0 ok", "ok", "", "2500"])
    func `nor does a line that is not the last of a reply`(line: String) {
        let exchange = sent()
        take(exchange, line)
        #expect(exchange.error(failure()) == .connection("why"))
    }

    @Test(arguments: [
        (400, SMTPError.deferred(400)), (451, .deferred(451)), (499, .deferred(499)), (500, .refused(500)), (554, .refused(554)),
        (599, .refused(599)), (600, .connection("why")), (399, .connection("why")),
        (530, .authentication("the server answered 530")),
        (534, .authentication("the server answered 534")), (535, .authentication("the server answered 535")),
        (538, .authentication("the server answered 538")),
    ])
    func `the reply says whether a mail may be taken later`(code: Int, error: SMTPError) {
        let atEnd = sent()
        take(atEnd, "\(code)-more", "\(code) why")
        #expect(atEnd.error(failure()) == error)
        let before = exchange()
        #expect(before.begin())
        take(before, "\(code) why")
        #expect(before.error(failure(CURLE_SEND_ERROR)) == error)
    }

    @Test(arguments: ["451 later", "550 never", "354 what", "999 what"])
    func `a farewell does not make good what the reply to the content was`(line: String) {
        let exchange = sent()
        take(exchange, line)
        let error = exchange.error(failure())
        #expect(error != nil)
        take(exchange, "221 bye", "250 ok")
        #expect(exchange.error(failure()) == error)
    }

    @Test func `a reply before any mail says nothing about the mail`() {
        for line in ["421 busy", "554 not you"] {
            let exchange = exchange()
            take(exchange, line)
            #expect(exchange.error(failure()) == .connection("why"))
        }
    }

    @Test func `a refused login is told from one that cannot be tried now`() {
        for (line, error) in [
            ("535 no", SMTPError.authentication("the server answered 535")),
            ("454 later", .connection("the server cannot authenticate anybody now: 454")),
            ("250 AUTH CRAM-MD5", .authentication("the server offers neither PLAIN nor LOGIN")),
        ] {
            let exchange = exchange(needsAuthentication: true)
            take(exchange, line)
            #expect(exchange.error(failure(CURLE_LOGIN_DENIED)) == error)
        }
    }

    @Test func `nothing begins without the authentication that is wanted`() {
        let without = exchange(needsAuthentication: true)
        take(without, "220 hello", "250 go on")
        #expect(!without.begin())
        #expect(without.error(failure(CURLE_ABORTED_BY_CALLBACK)) == .authentication("the server offers no authentication"))
        let with = exchange(needsAuthentication: true)
        take(with, "220 hello", "250-AUTH PLAIN", "250 go on", "334 ", "235 welcome")
        #expect(with.begin())
    }

    @Test func `a server may say 64 KiB`() {
        let line = "250-" + String(repeating: "x", count: 1024 - 6)
        let exchange = exchange()
        for _ in 0..<64 { #expect(take(exchange, line)) }
        #expect(!take(exchange, ""))
        #expect(exchange.error(failure(CURLE_WRITE_ERROR)) == .connection("the server says more than 65536 bytes"))
    }

    @Test func `there is time until the deadline, and a second for the farewell`() {
        let late = exchange()
        #expect(late.mayGoOn(at: start + .milliseconds(29_999)))
        #expect(!late.mayGoOn(at: start + .seconds(30)))
        #expect(late.error(failure(CURLE_ABORTED_BY_CALLBACK)) == .timedOut)
        let taken = sent()
        take(taken, "250 ok")
        #expect(taken.mayGoOn(at: start + .milliseconds(999)))
        #expect(!taken.mayGoOn(at: start + .seconds(1)))
        #expect(taken.error(failure(CURLE_ABORTED_BY_CALLBACK)) == nil)
        let declined = sent()
        take(declined, "550 no")
        #expect(!declined.mayGoOn(at: start + .seconds(1)))
        #expect(declined.error(failure()) == .refused(550))
    }

    @Test func `who is late only with the farewell has been told before`() {
        let exchange = exchange(needsAuthentication: true)
        take(exchange, "220 hello", "250 AUTH PLAIN", "535 no")
        #expect(!exchange.mayGoOn(at: start + .seconds(30)))
        #expect(exchange.error(failure(CURLE_LOGIN_DENIED)) == .authentication("the server answered 535"))
    }

    @Test func `what libcurl finds wrong with TLS or the time is told as that`() {
        #expect(exchange().error(failure(CURLE_PEER_FAILED_VERIFICATION)) == .tls("why"))
        #expect(exchange().error(failure(CURLE_USE_SSL_FAILED)) == .tls("why"))
        #expect(exchange().error(failure(CURLE_OPERATION_TIMEDOUT)) == .timedOut)
        #expect(exchange().error(failure(CURLE_COULDNT_CONNECT)) == .connection("why"))
    }
}
