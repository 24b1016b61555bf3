/// What comes from the peer.
extension Stream {
    /// Appends what the peer has sent to `input`, suspending until there is something; false at the end of its stream.
    /// - Throws: `StreamError`; a deadline that passes leaves the stream usable.
    package func fill() async throws(StreamError) -> Bool {
        assert(loop.isCurrent)
        while true {
            if let more = try readOnce() { return more }
            // There may be more to read when what there was is half a TLS record.
            if !mayRead { try await readable() }
        }
    }

    /// Drops the first `count` bytes of `input`.
    package func consume(_ count: Int) {
        if count == input.count {
            // An idle connection keeps no buffer.
            input = []
        } else {
            input.removeFirst(count)
        }
    }

    /// Reads once; nil when that would block or has brought only a part of a TLS record.
    private func readOnce() throws(StreamError) -> Bool? {
        try checkOpen()
        // What came along with the handshake, or the end that came along with the last bytes: no edge announces them again.
        if let tls, tls.hasNews, let more = try decrypt() { return more }
        guard mayRead else { return nil }
        switch receive() {
        case .bytes(0):
            return false
        case .bytes(let count):
            // Less than asked for: the socket is empty, and a new edge will say when it is not.
            mayRead = endIsNear || count == Self.readSize
            return try decrypt()
        case .wouldBlock:
            mayRead = false
            return nil
        case .failed(let error):
            fail(.system(error))
            throw .system(error)
        }
    }

    /// One `recv`, its bytes handed to `take`.
    func receive() -> Socket.Transfer {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
            let transfer = unsafe Socket.receive(descriptor, into: buffer)
            if case .bytes(let count) = transfer, count > 0 {
                unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return transfer
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        if let tls {
            unsafe tls.received(bytes)
        } else {
            unsafe input.append(contentsOf: bytes)
        }
    }
}
