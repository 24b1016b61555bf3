import Networking

/// What has been said and sent on one connection, and what that means. One thread touches it: that of the transfer.
final class SMTPExchange {
    enum Stage: Equatable {
        /// Greeting, TLS and authentication.
        case opening
        /// MAIL, RCPT and DATA.
        case envelope
        /// The server has so many bytes of the content. When it has all of them, its next reply decides.
        case content(sent: Int)
        /// The reply that decides: to the content, or the first one before it that was no good one. What the server says to our farewell
        /// changes nothing.
        case answered(Int, at: Instant)
    }

    /// Why we broke it off ourselves.
    private enum End {
        case late
        case unauthenticated
        case flooded
    }

    /// How many bytes of replies are listened to.
    static let replyLimit = 64 * 1024
    /// For how long a server that has decided is waited for to say goodbye (RFC 5321 §4.1.1.10).
    static let farewell: Duration = .seconds(1)

    private let content: [UInt8]
    private let needsAuthentication: Bool
    private let deadline: Instant
    private(set) var stage = Stage.opening
    /// The first reply during the opening that was no good one.
    private var openingRefusal: Int?
    private var isAuthenticated = false
    private var replyByteCount = 0
    private var end: End?

    /// - Parameter content: empty when nothing is to be sent.
    init(content: [UInt8], needsAuthentication: Bool, until deadline: Instant) {
        self.content = content
        self.needsAuthentication = needsAuthentication
        self.deadline = deadline
    }

    /// A line of a reply (RFC 5321 §4.2). Returns whether it may go on.
    func take(_ line: [UInt8], at now: Instant) -> Bool {
        replyByteCount += line.count
        guard replyByteCount <= Self.replyLimit else {
            end = .flooded
            return false
        }
        // Other lines, and those of a reply that goes on, decide nothing.
        guard let code = Self.code(line) else { return true }
        switch stage {
        case .opening:
            if code == 235 { isAuthenticated = true }
            if code >= 400, openingRefusal == nil { openingRefusal = code }
        case .envelope: if code >= 400 { stage = .answered(code, at: now) }
        case .content(content.count): stage = .answered(code, at: now)
        case .content, .answered: break
        }
        return true
    }

    /// The connection stands as it should. Returns whether a mail may be sent on it: libcurl goes on without authentication when the server
    /// offers none.
    func begin() -> Bool {
        stage = .envelope
        guard needsAuthentication, !isAuthenticated else { return true }
        end = .unauthenticated
        return false
    }

    /// The next bytes of the content, at most `count`; none at its end.
    func next(_ count: Int) -> ArraySlice<UInt8> {
        let sent: Int
        switch stage {
        case .envelope: sent = 0
        case .content(let count): sent = count
        case .opening, .answered: return []
        }
        let part = content[sent...].prefix(count)
        stage = .content(sent: part.endIndex)
        return part
    }

    /// Whether there is still time.
    func mayGoOn(at now: Instant) -> Bool {
        if case .answered(_, let instant) = stage { return now < instant + Self.farewell }
        guard now >= deadline else { return true }
        end = .late
        return false
    }

    /// What libcurl's failure means; nil when the server has taken the mail.
    func error(_ failure: CurlFailure) -> SMTPError? {
        if case .answered(let code, _) = stage {
            return (200...299).contains(code) ? nil : Self.declination(code) ?? .connection(failure.text)
        }
        return switch failure.kind {
        case .timedOut: .timedOut
        case .tls: .tls(failure.text)
        case .loginDenied: loginError
        case .brokenOff: endError ?? .connection(failure.text)
        case .tooLarge, .other: .connection(failure.text)
        }
    }

    private var endError: SMTPError? {
        switch end {
        case .late: .timedOut
        case .flooded: .connection("the server says more than \(Self.replyLimit) bytes")
        case .unauthenticated: .authentication("the server offers no authentication")
        case nil: nil
        }
    }

    /// RFC 4954 §6.
    private var loginError: SMTPError {
        switch openingRefusal {
        case let code? where code < 500: .connection("the server cannot authenticate anybody now: \(code)")
        case let code?: .authentication("the server answered \(code)")
        case nil: .authentication("the server offers neither PLAIN nor LOGIN")
        }
    }

    /// What a reply that is no good one means for the mail; nil for one that is no refusal either.
    private static func declination(_ code: Int) -> SMTPError? {
        switch code {
        case 400...499: .deferred(code)
        // RFC 4954 §6; 530 is also the reply of a server that wants STARTTLS first (RFC 3207 §4).
        case 530, 534, 535, 538: .authentication("the server answered \(code)")
        case 500...599: .refused(code)
        default: nil
        }
    }

    /// Three digits, and then a space or nothing on the last line of a reply.
    private static func code(_ line: [UInt8]) -> Int? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard line.count == 3 || [UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(line[3]) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

/// Why a mail was not taken. The texts are libcurl's, OpenSSL's and our own, for the log; they hold nothing of what was sent, and no
/// credentials.
///
/// After `timedOut` and `connection` the server may have the mail all the same, when its last answer was lost (RFC 1047): a mail that is
/// sent again has the same `Message-ID`, so that a mailbox can tell.
package enum SMTPError: Error, Equatable, Sendable {
    /// An address or the content cannot be sent; see `SMTPMessage`. Nobody was asked.
    case invalidMessage
    /// MAIL, RCPT, DATA or the content got this reply, 500 … 599: the server will never take this mail (RFC 5321 §4.2.1).
    case refused(Int)
    /// They got this reply, 400 … 499: it may take it later.
    case deferred(Int)
    /// The server takes none of our credentials, or wants some: the configuration's fault, not the mail's.
    case authentication(String)
    /// Connecting, or all of it, took too long; the wait for a thread is counted.
    case timedOut
    /// No TLS, or not with the server that was meant.
    case tls(String)
    /// The name, the connection, or what the server said before any mail.
    case connection(String)
    /// Too many mails wait already.
    case overloaded
}
