import CCurl
import Networking

/// One request and its answer over libcurl, blocking the thread it runs on. Redirects are told, not followed.
@safe
final class Transfer {
    enum Outcome {
        case answer(OutboundResponse)
        /// Where a 3xx answer points.
        case redirect(String)
    }

    private let handle: UnsafeMutableRawPointer
    private let reception: Reception
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var list: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `connection` when there is no memory.
    init(_ configuration: OutboundConfiguration) throws(OutboundError) {
        guard Self.isInitialised, let handle = unsafe curl_easy_init() else { throw .connection("libcurl cannot start") }
        unsafe self.handle = unsafe handle
        reception = Reception(headLimit: configuration.headLimit, bodyLimit: configuration.bodyLimit)
        unsafe errorText.initialize(repeating: 0)
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(list)
        unsafe errorText.deallocate()
    }

    /// libcurl's own preparations, once a process and before its first use.
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Throws: `OutboundError`.
    func run(
        _ request: OutboundRequest, to url: OutboundURL, _ configuration: OutboundConfiguration, within time: Duration
    ) throws(OutboundError) -> Outcome {
        try prepareConnection(url, configuration)
        try prepareTimes(configuration, time)
        try prepareRequest(request, url)
        try prepareReception(configuration)
        let code = unsafe curl_easy_perform(handle)
        // libcurl knows it by an unretained pointer.
        withExtendedLifetime(reception) {}
        guard code == CURLE_OK else { throw failure(code) }
        return try outcome()
    }

    private func outcome() throws(OutboundError) -> Outcome {
        var status = 0
        var target: UnsafeMutablePointer<CChar>?
        unsafe kidoban_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        unsafe kidoban_curl_get_text(handle, CURLINFO_REDIRECT_URL, &target)
        if let target = unsafe target { return .redirect(unsafe String(cString: target)) }
        return .answer(OutboundResponse(status: status, fields: reception.fields, body: reception.body))
    }

    /// TLS 1.2 or later with a server that has proved its name, no proxy but the configured one, no protocol but HTTP/1.1.
    private func prepareConnection(_ url: OutboundURL, _ configuration: OutboundConfiguration) throws(OutboundError) {
        try set(CURLOPT_NOSIGNAL, 1)
        unsafe kidoban_curl_set_quick_exit(handle)
        try set(CURLOPT_PROTOCOLS_STR, "https,http")
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let file = configuration.authoritiesFile {
            try set(CURLOPT_CAINFO, file)
            // Else the directory that libcurl was built with would be trusted beside the file.
            try set(CURLOPT_CAPATH, nil)
        }
        try set(CURLOPT_PROXY, url.isLoopback ? "" : configuration.proxy ?? "")
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    }

    private func prepareTimes(_ configuration: OutboundConfiguration, _ time: Duration) throws(OutboundError) {
        try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(configuration.connectTimeout, time)))
        try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(time))
    }

    private func prepareRequest(_ request: OutboundRequest, _ url: OutboundURL) throws(OutboundError) {
        try set(CURLOPT_URL, url.text)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_USERAGENT, "kidoban")
        // A body is sent at once instead of after the server's consent (RFC 9110 §10.1.1).
        try addLine("Expect:")
        for (name, value) in request.fields { try addLine("\(name): \(value)") }
        try check(unsafe kidoban_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list))
        switch request.method {
        case .get: try set(CURLOPT_HTTPGET, 1)
        case .post:
            try set(CURLOPT_POST, 1)
            try check(unsafe kidoban_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
            // Copied, with the size that was set before; the zero is for an empty body, which must not be a null pointer.
            let code = unsafe (request.body + [0]).withUnsafeBytes { body in
                unsafe kidoban_curl_set_pointer(
                    handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
            }
            try check(code)
        }
    }

    private func addLine(_ line: String) throws(OutboundError) {
        guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .invalidRequest }
        guard let longer = unsafe curl_slist_append(list, line) else { throw .connection("out of memory") }
        unsafe list = unsafe longer
    }

    private func prepareReception(_ configuration: OutboundConfiguration) throws(OutboundError) {
        let context = unsafe Unmanaged.passUnretained(reception).toOpaque()
        try check(unsafe kidoban_curl_set_callback(handle, CURLOPT_HEADERFUNCTION, takeHeadLine))
        try check(unsafe kidoban_curl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        try check(unsafe kidoban_curl_set_callback(handle, CURLOPT_WRITEFUNCTION, takeBodyPart))
        try check(unsafe kidoban_curl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        try check(unsafe kidoban_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress))
        try check(unsafe kidoban_curl_set_size(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(configuration.bodyLimit)))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(OutboundError) {
        try check(unsafe kidoban_curl_set_number(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(OutboundError) {
        try check(unsafe kidoban_curl_set_text(handle, option, value))
    }

    /// An option that this libcurl does not take must not be passed over.
    private func check(_ code: CURLcode) throws(OutboundError) {
        guard code == CURLE_OK else { throw .connection("libcurl: \(unsafe String(cString: curl_easy_strerror(code)))") }
    }

    private func failure(_ code: CURLcode) -> OutboundError {
        if reception.isTooLarge { return .tooLarge }
        switch code {
        case CURLE_FILESIZE_EXCEEDED: return .tooLarge
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .tls(reason(code))
        default: return .connection(reason(code))
        }
    }

    private func reason(_ code: CURLcode) -> String {
        let text = unsafe errorText.baseAddress.map { unsafe String(cString: $0) } ?? ""
        return text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
    }

    /// At least 1: libcurl takes 0 for no limit.
    private static func milliseconds(_ time: Duration) -> Int {
        max(1, Int(time.wholeNanoseconds / 1_000_000))
    }
}

// Free functions, because libcurl calls them without any isolation.
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
