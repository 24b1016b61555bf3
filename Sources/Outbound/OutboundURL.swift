import CCurl
import Networking

/// A URL that may be asked: `https`, or `http` to this very machine, and without credentials.
struct OutboundURL: Sendable {
    /// As libcurl writes it.
    let text: String
    let isLoopback: Bool
    private let origin: [String]

    /// - Throws: `invalidRequest`.
    init(_ text: String) throws(OutboundError) {
        guard let handle = unsafe curl_url() else { throw .connection("out of memory") }
        defer { unsafe curl_url_cleanup(handle) }
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK else {
            throw .invalidRequest
        }
        guard let text = unsafe Self.part(handle, CURLUPART_URL), let scheme = unsafe Self.part(handle, CURLUPART_SCHEME),
            let host = unsafe Self.part(handle, CURLUPART_HOST)?.lowercased(),
            let port = unsafe Self.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
        else { throw .invalidRequest }
        self.text = text
        isLoopback = Self.isLoopback(host)
        origin = [scheme, host, port]
        guard scheme == "https" || scheme == "http" && isLoopback else { throw .invalidRequest }
    }

    /// Scheme, host and port are the same (RFC 6454 §4).
    func hasSameOrigin(as other: OutboundURL) -> Bool {
        origin == other.origin
    }

    /// libcurl never asks a name server for `localhost`.
    private static func isLoopback(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        switch IPAddress(bare) {
        case .v4(let address): return address >> 24 == 127
        case .v6(let upper, let lower): return upper == 0 && lower == 1
        case nil: return host == "localhost"
        }
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &value, flags) == CURLUE_OK, let text = unsafe value else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
