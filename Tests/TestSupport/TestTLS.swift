import COpenSSL

/// A server's end of a connection: plain, or with TLS over memory so that a client that goes away raises no signal.
package final class TestChannel: @unchecked Sendable {  // one thread after the other
    package struct Failure: Error {}

    private let socket: TestSocket
    private let session: OpaquePointer?
    private let incoming: OpaquePointer?
    private let outgoing: OpaquePointer?

    package init(_ socket: TestSocket, _ context: TestTLSContext?) throws {
        self.socket = socket
        session = context.flatMap { SSL_new($0.context) }
        incoming = session == nil ? nil : BIO_new(BIO_s_mem())
        outgoing = session == nil ? nil : BIO_new(BIO_s_mem())
        guard let session else { return }
        SSL_set_bio(session, incoming, outgoing)
        SSL_set_accept_state(session)
        while true {
            let result = SSL_do_handshake(session)
            let error = SSL_get_error(session, result)
            try flush()
            if result == 1 { return }
            guard error == SSL_ERROR_WANT_READ, try fill() else { throw Failure() }
        }
    }

    deinit {
        SSL_free(session)
    }

    /// What the client sends next; nil at the end.
    package func receive() throws -> [UInt8]? {
        guard let session else {
            let bytes = try socket.receive()
            return bytes.isEmpty ? nil : bytes
        }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = SSL_read(session, &buffer, Int32(buffer.count))
            if count > 0 { return Array(buffer[..<Int(count)]) }
            guard SSL_get_error(session, count) == SSL_ERROR_WANT_READ, try fill() else { return nil }
        }
    }

    package func send(_ bytes: [UInt8]) throws {
        guard let session else { return try socket.send(bytes) }
        guard !bytes.isEmpty else { return }
        guard SSL_write(session, bytes, Int32(bytes.count)) > 0 else { throw Failure() }
        try flush()
    }

    /// Sends the last bytes and the end of TLS in one piece, and ends the connection or leaves it open.
    package func send(last bytes: [UInt8], endsConnection: Bool) throws {
        guard let session else { throw Failure() }
        guard SSL_write(session, bytes, Int32(bytes.count)) > 0 else { throw Failure() }
        SSL_shutdown(session)
        try flush()
        if endsConnection { socket.endSending() }
    }

    func end() throws {
        if let session {
            SSL_shutdown(session)
            try flush()
        }
        socket.endSending()
        // Else the kernel answers what the client still sends with a reset, which may overtake the answer.
        while try !socket.receive().isEmpty {}
    }

    private func fill() throws -> Bool {
        let bytes = try socket.receive()
        guard !bytes.isEmpty else { return false }
        BIO_write(incoming, bytes, Int32(bytes.count))
        return true
    }

    private func flush() throws {
        var buffer = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
        guard !buffer.isEmpty else { return }
        BIO_read(outgoing, &buffer, Int32(buffer.count))
        try socket.send(buffer)
    }
}

/// A server's certificate and key.
package final class TestTLSContext: @unchecked Sendable {  // an SSL_CTX is only read once it is set up
    let context: OpaquePointer

    /// - Parameter onlyTLS11: whether it speaks nothing newer than TLS 1.1.
    package init(_ certificate: TestCertificate, onlyTLS11: Bool = false) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw TestChannel.Failure() }
        self.context = context
        guard SSL_CTX_use_certificate_file(context, certificate.certificatePath, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_use_PrivateKey_file(context, certificate.keyPath, SSL_FILETYPE_PEM) == 1
        else { throw TestChannel.Failure() }
        if onlyTLS11 {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
            SSL_CTX_set_security_level(context, 0)
            SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        }
    }

    deinit {
        SSL_CTX_free(context)
    }
}
