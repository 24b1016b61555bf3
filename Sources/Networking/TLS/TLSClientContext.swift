import COpenSSL

/// What a client trusts: the system's certificate authorities, or those of one file. Peers are always verified by name.
// @unchecked: an SSL_CTX is only read once it is set up, and OpenSSL counts its references atomically.
@safe
package final class TLSClientContext: @unchecked Sendable {
    fileprivate let context: OpaquePointer

    /// - Parameter authoritiesFile: a PEM file of the authorities to trust instead of the system's.
    /// - Throws: `StreamError.tls` when the file cannot be used.
    package init(authoritiesFile: String? = nil) throws(StreamError) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw .tls(TLSSession.lastError()) }
        unsafe self.context = unsafe context
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let loaded =
            if let authoritiesFile {
                unsafe SSL_CTX_load_verify_locations(context, authoritiesFile, nil)
            } else {
                unsafe SSL_CTX_set_default_verify_paths(context)
            }
        guard loaded == 1 else { throw .tls("no certificate authorities: \(TLSSession.lastError())") }
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    fileprivate func makeSession() -> OpaquePointer? {
        unsafe SSL_new(context)
    }
}

/// The TLS state of one connection: ciphertext and plaintext pass through memory, the socket belongs to the stream.
@safe
final class TLSSession {
    enum Progress {
        case plain
        case needsMore
        case ended
    }

    /// How the peer's side of the connection is, behind what it has sent so far.
    private enum PeerSide {
        case open
        /// It has said that it is done (`close_notify`).
        case ended
        case failed(StreamError)
    }

    private let session: OpaquePointer
    private var peerSide = PeerSide.open
    /// What came from the peer and what is to go to it. Owned by `session`.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    init(_ context: TLSClientContext, serverName: String) throws(StreamError) {
        guard let session = unsafe context.makeSession() else { throw .tls(Self.lastError()) }
        guard let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(session)
            throw .tls(Self.lastError())
        }
        unsafe self.session = unsafe session
        unsafe self.incoming = unsafe incoming
        unsafe self.outgoing = unsafe outgoing
        unsafe SSL_set_bio(session, incoming, outgoing)
        unsafe SSL_set_connect_state(session)
        let named = unsafe serverName.withCString { name in
            // The macro SSL_set_tlsext_host_name, spelled out; an address is verified but not sent as a name (RFC 6066 §3).
            guard IPAddress(serverName) == nil else {
                return unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1
            }
            unsafe SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutablePointer(mutating: name))
            return unsafe SSL_set1_host(session, name) == 1
        }
        guard named else { throw .tls("the server's name \(serverName) cannot be verified") }
    }

    deinit {
        unsafe SSL_free(session)
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        unsafe BIO_write(incoming, bytes.baseAddress, Int32(bytes.count))
    }

    /// Goes on with the handshake; false while more of the peer is needed.
    func handshake() throws(StreamError) -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(session)
        if result == 1 { return true }
        guard unsafe SSL_get_error(session, result) == SSL_ERROR_WANT_READ else { throw .tls(failure()) }
        return false
    }

    /// Whether something has been received that `decrypt` has not looked at, or there is no more to come.
    var hasNews: Bool {
        guard case .open = peerSide else { return true }
        return unsafe BIO_ctrl_pending(incoming) > 0
    }

    /// Appends the plaintext of every complete record. What comes together with the end or a failure is handed over first; they are told by
    /// the next call.
    func decrypt(into plain: inout [UInt8]) throws(StreamError) -> Progress {
        if case .open = peerSide, case .plain = readRecords(into: &plain) { return .plain }
        switch peerSide {
        case .open: return .needsMore
        case .ended: return .ended
        case .failed(let error): throw error
        }
    }

    private func readRecords(into plain: inout [UInt8]) -> Progress {
        var progress = Progress.needsMore
        while true {
            ERR_clear_error()
            let (count, bytes) = unsafe withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
                let count = unsafe SSL_read(session, buffer.baseAddress, Int32(buffer.count))
                return unsafe (count, count > 0 ? [UInt8](buffer[..<Int(count)]) : [])
            }
            if count > 0 {
                plain.append(contentsOf: bytes)
                progress = .plain
                continue
            }
            switch unsafe SSL_get_error(session, count) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return progress
            case SSL_ERROR_ZERO_RETURN: peerSide = .ended
            default: peerSide = .failed(.tls(failure()))
            }
            return progress
        }
    }

    /// Appends the records that carry `plain`. After the handshake only.
    /// - Throws: `StreamError.tls` when there is no session any more that could carry them.
    func encrypt(_ plain: [UInt8], into output: inout [UInt8]) throws(StreamError) {
        guard !plain.isEmpty else { return }
        ERR_clear_error()
        // A memory BIO takes everything at once.
        let written = unsafe plain.withUnsafeBytes { bytes in
            unsafe SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        guard Int(written) == plain.count else { throw .tls(failure()) }
        collect(into: &output)
    }

    /// Whether OpenSSL wants to send something.
    var hasRecords: Bool { unsafe BIO_ctrl_pending(outgoing) > 0 }

    /// Moves what OpenSSL wants to send to `output`.
    func collect(into output: inout [UInt8]) {
        let pending = unsafe BIO_ctrl_pending(outgoing)
        guard pending > 0 else { return }
        unsafe output.append(
            contentsOf: [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
                count = Int(max(0, unsafe BIO_read(outgoing, buffer.baseAddress, Int32(pending))))
            })
    }

    private func failure() -> String {
        let verification = unsafe SSL_get_verify_result(session)
        guard verification != X509_V_OK else { return Self.lastError() }
        return unsafe X509_verify_cert_error_string(verification).map { unsafe String(cString: $0) } ?? "certificate refused"
    }

    fileprivate static func lastError() -> String {
        let code = ERR_get_error()
        guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return "connection broken" }
        return unsafe String(cString: text)
    }
}
