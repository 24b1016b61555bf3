import CCurl
import Glibc
import Networking

/// One request and its answer over libcurl, blocking the thread it runs on. Redirects are told, not followed.
final class Transfer {
    enum Outcome {
        case answer(OutboundResponse)
        /// Where a 3xx answer points.
        case redirect(String)
    }

    private let reception: Reception
    private let configuration: OutboundConfiguration

    init(_ configuration: OutboundConfiguration) {
        self.configuration = configuration
        reception = Reception(headLimit: configuration.headLimit, bodyLimit: configuration.bodyLimit)
    }

    /// - Throws: `OutboundError`.
    func run(_ request: OutboundRequest, to url: OutboundURL, within time: Duration) throws(OutboundError) -> Outcome {
        for (name, value) in request.fields where !Self.isOneLine(name) || !Self.isOneLine(value) { throw .invalidRequest }
        do throws(CurlFailure) {
            let handle = try CurlHandle(protocols: "https,http")
            try prepareConnection(handle, url)
            try handle.limit(connecting: configuration.connectTimeout, all: time)
            try prepareRequest(handle, request, url)
            try prepareReception(handle)
            // Who the name leads to is known only once libcurl has looked it up, and can be another one each time.
            if request.isForPublicHosts, !usesProxy(url) { try unsafe handle.set(openingSocket: openSocketToPublicHost) }
            try handle.perform()
            return outcome(handle)
        } catch {
            throw reception.isTooLarge ? .tooLarge : OutboundError(error)
        }
    }

    private func outcome(_ handle: CurlHandle) -> Outcome {
        if let target = handle.text(CURLINFO_REDIRECT_URL) { return .redirect(target) }
        return .answer(
            OutboundResponse(status: handle.number(CURLINFO_RESPONSE_CODE), fields: reception.fields, body: reception.body))
    }

    /// TLS with a server that has proved its name, no proxy but the configured one, no protocol but HTTP/1.1.
    private func prepareConnection(_ handle: CurlHandle, _ url: OutboundURL) throws(CurlFailure) {
        try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try handle.requireProof(authorities: configuration.authoritiesFile)
        if let proxy = configuration.proxy, usesProxy(url) { try handle.set(CURLOPT_PROXY, proxy) }
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    /// This machine is reached directly, whoever has named it.
    private func usesProxy(_ url: OutboundURL) -> Bool {
        configuration.proxy != nil && !url.isLoopback
    }

    private func prepareRequest(_ handle: CurlHandle, _ request: OutboundRequest, _ url: OutboundURL) throws(CurlFailure) {
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_USERAGENT, "kidoban")
        // A body is sent at once instead of after the server's consent (RFC 9110 §10.1.1).
        try handle.set(CURLOPT_HTTPHEADER, lines: ["Expect:"] + request.fields.map { "\($0.name): \($0.value)" })
        switch request.method {
        case .get: try handle.set(CURLOPT_HTTPGET, 1)
        case .post:
            try handle.set(CURLOPT_POST, 1)
            try handle.set(copying: request.body)
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private func prepareReception(_ handle: CurlHandle) throws(CurlFailure) {
        try unsafe handle.set(CURLOPT_HEADERFUNCTION, takeHeadLine, CURLOPT_HEADERDATA, reception)
        try unsafe handle.set(CURLOPT_WRITEFUNCTION, takeBodyPart, CURLOPT_WRITEDATA, reception)
        try handle.set(CURLOPT_MAXFILESIZE_LARGE, size: configuration.bodyLimit)
    }
}

extension OutboundError {
    fileprivate init(_ failure: CurlFailure) {
        switch failure.kind {
        case .timedOut: self = .timedOut
        case .tls: self = .tls(failure.text)
        case .tooLarge: self = .tooLarge
        case .loginDenied, .brokenOff, .other: self = .connection(failure.text)
        }
    }
}

// Free functions, because libcurl calls them without any isolation.
/// No packet reaches a host of a private network: not even how long it takes tells what is there.
private func openSocketToPublicHost(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = unsafe address else { return curl_socket_t(-1) }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isKnown = unsafe getnameinfo(
        UnsafePointer(address.pointer(to: \.addr)), address.pointee.addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard isKnown == 0, let host = IPAddress(host), host.isPublic else { return curl_socket_t(-1) }
    let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(address.pointee.family, type, address.pointee.protocol)
}

private func takeHeadLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
    return unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().takeHead(line) ? size * count : 0
}

private func takeBodyPart(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue().takeBody(part) ? size * count : 0
}
