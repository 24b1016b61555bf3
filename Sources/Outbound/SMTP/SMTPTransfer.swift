import CCurl
import Networking
import Text

/// One connection to a mail server over libcurl, blocking the thread it runs on.
struct SMTPTransfer {
    let configuration: SMTPConfiguration

    /// - Parameter message: nil to go only as far as a mail could be sent.
    func run(_ message: SMTPMessage?, until deadline: Instant) throws(SMTPError) {
        let now = Instant.now()
        guard now < deadline else { throw .timedOut }
        let url = try url()
        guard configuration.username == nil || configuration.security != .none || url.isLoopback else {
            throw .authentication("credentials are sent over TLS only")
        }
        // libcurl would send what comes before it.
        guard !(configuration.username ?? "").utf8.contains(0), !configuration.password.revealedBytes.contains(0) else {
            throw .authentication("credentials hold no zero byte")
        }
        let exchange = SMTPExchange(
            content: message?.content ?? [], needsAuthentication: configuration.username != nil, until: deadline)
        do throws(CurlFailure) {
            let handle = try CurlHandle(protocols: "smtp,smtps")
            try handle.set(CURLOPT_URL, url[CURLUPART_URL])
            try handle.limit(connecting: configuration.connectTimeout, all: deadline.since(now))
            try prepareConnection(handle)
            try prepareCallbacks(handle, exchange)
            try prepareMessage(handle, message)
            try handle.perform()
        } catch {
            if let error = exchange.error(error) { throw error }
        }
    }

    /// `smtp://host:port/name`, where libcurl introduces us by that name.
    private func url() throws(SMTPError) -> CurlURL {
        guard let url = CurlURL() else { throw .connection("out of memory") }
        let host = if case .v6? = IPAddress(configuration.host) { "[\(configuration.host)]" } else { configuration.host }
        guard url.set(CURLUPART_SCHEME, configuration.security == .tls ? "smtps" : "smtp"), url.set(CURLUPART_HOST, host),
            url.set(CURLUPART_PORT, "\(configuration.port)")
        else { throw .connection("there cannot be such a host") }
        guard Self.isGreetingName(configuration.greetingName),
            url.set(CURLUPART_PATH, "/\(configuration.greetingName)", CURLU_URLENCODE)
        else { throw .connection("we cannot introduce ourselves by such a name") }
        return url
    }

    /// RFC 5321 §4.1.2: a domain or an address literal. An empty one would be the name of this machine.
    private static func isGreetingName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-.:[]".unicodeScalars.contains($0))
            }
    }

    private func prepareConnection(_ handle: CurlHandle) throws(CurlFailure) {
        try handle.requireProof(authorities: configuration.authoritiesFile)
        try handle.set(CURLOPT_USE_SSL, Int((configuration.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL).rawValue))
        // The farewell then belongs to the transfer and to its time. Beyond it, libcurl would wait for two minutes.
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        guard let username = configuration.username else { return }
        try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
        try handle.set(CURLOPT_USERNAME, username)
        try handle.set(CURLOPT_PASSWORD, configuration.password.revealedText)
    }

    private func prepareCallbacks(_ handle: CurlHandle, _ exchange: SMTPExchange) throws(CurlFailure) {
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, takeReplyLine, CURLOPT_HEADERDATA, exchange)
        // A reply is a head; libcurl hands that of a command on as a body as well.
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, dropBodyPart, CURLOPT_WRITEDATA, exchange)
        try unsafe handle.set(CURLOPT_READFUNCTION, giveContent, CURLOPT_READDATA, exchange)
        try unsafe handle.set(prerequisite: beginMail, exchange)
        try unsafe handle.set(progress: mayGoOn, exchange)
    }

    private func prepareMessage(_ handle: CurlHandle, _ message: SMTPMessage?) throws(CurlFailure) {
        guard let message else { return try handle.set(CURLOPT_CUSTOMREQUEST, "NOOP") }
        try handle.set(CURLOPT_MAIL_FROM, message.sender)
        try handle.set(CURLOPT_MAIL_RCPT, lines: [message.recipient])
        try handle.set(CURLOPT_UPLOAD, 1)
        try handle.set(CURLOPT_INFILESIZE_LARGE, size: message.content.count)
    }
}

// Free functions, because libcurl calls them without any isolation.
private func takeReplyLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let exchange = unsafe exchange(context) else { return 0 }
    let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
    return exchange.take(line, at: .now()) ? size * count : 0
}

private func dropBodyPart(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    size * count
}

private func giveContent(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let exchange = unsafe exchange(context) else { return Int(CURL_READFUNC_ABORT) }
    let part = exchange.next(size * count)
    unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: part)
    return part.count
}

private func beginMail(
    _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?, _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt
) -> CInt {
    guard let exchange = unsafe exchange(context), exchange.begin() else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
}

private func mayGoOn(
    _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> CInt {
    guard let exchange = unsafe exchange(context), exchange.mayGoOn(at: .now()) else { return 1 }
    return 0
}

private func exchange(_ context: UnsafeMutableRawPointer?) -> SMTPExchange? {
    unsafe context.map { unsafe Unmanaged<SMTPExchange>.fromOpaque($0).takeUnretainedValue() }
}
