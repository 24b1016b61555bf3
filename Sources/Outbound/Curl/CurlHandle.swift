import CCurl
import Networking

/// An easy handle of libcurl's, and what it has been lent. One thread uses it: that of the transfer, which it blocks.
@safe
final class CurlHandle {
    private let handle: UnsafeMutableRawPointer
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
    /// libcurl knows them by unretained pointers.
    private var contexts: [AnyObject] = []

    /// No signals, no proxy of the environment's, no protocol but those named (`https,http`).
    init(protocols: String) throws(CurlFailure) {
        guard Self.isInitialised, let handle = unsafe curl_easy_init() else {
            throw CurlFailure(CURLE_FAILED_INIT, "libcurl cannot start")
        }
        unsafe self.handle = unsafe handle
        unsafe errorText.initialize(repeating: 0)
        try check(unsafe kidoban_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress))
        try set(CURLOPT_NOSIGNAL, 1)
        unsafe kidoban_curl_set_quick_exit(handle)
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "")
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
        unsafe errorText.deallocate()
    }

    /// libcurl's own preparations, once a process and before its first use.
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func perform() throws(CurlFailure) {
        let code = unsafe curl_easy_perform(handle)
        guard code == CURLE_OK else { throw CurlFailure(code, reason(code)) }
    }

    /// TLS 1.2 or later, with a server that has proved its name.
    /// - Parameter authorities: a PEM file of those to trust instead of the system's.
    func requireProof(authorities: String?) throws(CurlFailure) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        guard let authorities else { return }
        try set(CURLOPT_CAINFO, authorities)
        // Else the directory that libcurl was built with would be trusted beside the file.
        try set(CURLOPT_CAPATH, nil)
    }

    /// How long it may take: to the end of connecting, which is never longer than all of it, and all of it.
    func limit(connecting: Duration, all: Duration) throws(CurlFailure) {
        try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(connecting, all)))
        try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(all))
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_number(handle, option, value))
    }

    func set(_ option: CURLoption, size: Int) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_size(handle, option, curl_off_t(size)))
    }

    func set(_ option: CURLoption, _ value: String?) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_text(handle, option, value))
    }

    func set(_ option: CURLoption, lines: [String]) throws(CurlFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw CurlFailure(CURLE_OUT_OF_MEMORY, "out of memory")
            }
            unsafe list = unsafe longer
        }
        if let list = unsafe list { unsafe lists.append(list) }
        try check(unsafe kidoban_curl_set_pointer(handle, option, list))
    }

    /// A body that libcurl copies.
    func set(copying body: [UInt8]) throws(CurlFailure) {
        try set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        // The zero is for an empty body, which must not be a null pointer.
        let code = unsafe (body + [0]).withUnsafeBytes { body in
            unsafe kidoban_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
        }
        try check(code)
    }

    /// A function, and what it gets as its last argument. Such a function gives or takes `size * count` bytes.
    func set(
        _ option: CURLoption, _ function: curl_write_callback, _ contextOption: CURLoption, _ context: AnyObject
    ) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_callback(handle, option, function))
        try set(contextOption, context)
    }

    /// What is asked again and again, at least once a second, whether it goes on.
    func set(progress function: curl_xferinfo_callback, _ context: AnyObject) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_progress(handle, function))
        try set(CURLOPT_XFERINFODATA, context)
        try set(CURLOPT_NOPROGRESS, 0)
    }

    /// What is asked once the connection stands, before anything is asked for on it.
    func set(prerequisite function: curl_prereq_callback, _ context: AnyObject) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_prereq(handle, function))
        try set(CURLOPT_PREREQDATA, context)
    }

    /// What opens the socket to an address, or refuses to.
    func set(openingSocket function: curl_opensocket_callback) throws(CurlFailure) {
        try check(unsafe kidoban_curl_set_opensocket(handle, function))
    }

    /// Zero when there is none.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe kidoban_curl_get_number(handle, info, &value)
        return value
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        unsafe kidoban_curl_get_text(handle, info, &value)
        guard let text = unsafe value else { return nil }
        return unsafe String(cString: text)
    }

    private func set(_ option: CURLoption, _ context: AnyObject) throws(CurlFailure) {
        contexts.append(context)
        try check(unsafe kidoban_curl_set_pointer(handle, option, Unmanaged.passUnretained(context).toOpaque()))
    }

    /// An option that this libcurl does not take must not be passed over.
    private func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code, "libcurl: \(unsafe String(cString: curl_easy_strerror(code)))") }
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
