extension Stream {
    /// Speaks TLS from here on, as the client of `serverName`. Before anything else is read or written.
    /// - Throws: `StreamError.tls` when the peer's certificate or the handshake does not hold.
    package func startTLS(_ context: TLSClientContext, serverName: String) async throws(StreamError) {
        let session = try TLSSession(context, serverName: serverName)
        tls = session
        while true {
            let done = try session.handshake()
            session.collect(into: &output)
            flush()
            if done { return }
            while try readCiphertext() == nil { try await readable() }
        }
    }

    /// Reads once into the TLS session without decrypting.
    private func readCiphertext() throws(StreamError) -> Bool? {
        guard mayRead else { return nil }
        switch receive() {
        case .bytes(0): throw .tls("the peer ended the connection during the handshake")
        case .bytes: return true
        case .wouldBlock:
            mayRead = false
            return nil
        case .failed(let error): throw .system(error)
        }
    }

    /// Moves what has been received through TLS, if there is any; nil when a record is still incomplete.
    func decrypt() throws(StreamError) -> Bool? {
        guard let tls else { return true }
        let progress = try tls.decrypt(into: &input)
        tls.collect(into: &output)
        if unsentCount > 0 { flush() }
        switch progress {
        case .plain: return true
        case .needsMore: return nil
        case .ended: return false
        }
    }
}
