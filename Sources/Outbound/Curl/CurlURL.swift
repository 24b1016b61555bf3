import CCurl
import Networking

/// A URL as libcurl takes it apart and puts it together.
@safe
final class CurlURL {
    private let handle: OpaquePointer

    /// Nil when there is no memory.
    init?() {
        guard let handle = unsafe curl_url() else { return nil }
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe curl_url_cleanup(handle)
    }

    /// Whether libcurl takes it.
    func set(_ part: CURLUPart, _ text: String, _ flags: Int32 = 0) -> Bool {
        unsafe curl_url_set(handle, part, text, UInt32(flags)) == CURLUE_OK
    }

    subscript(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let text = unsafe value else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    /// Whether its host is this very machine. libcurl never asks a name server for `localhost`.
    var isLoopback: Bool {
        guard let host = self[CURLUPART_HOST]?.lowercased() else { return false }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        switch IPAddress(bare) {
        case .v4(let address): return address >> 24 == 127
        case .v6(let upper, let lower): return upper == 0 && lower == 1
        case nil: return host == "localhost"
        }
    }
}
