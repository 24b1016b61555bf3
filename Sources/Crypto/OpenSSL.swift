import COpenSSL

/// The OpenSSL of the whole process, which other libraries use too.
package enum CryptoLibrary {
    /// Starts OpenSSL without its exit handler: a thread that is still hashing or connecting while the process exits finds it
    /// alive. To be called first of all, before libpq or TLS start it in their way.
    package static func start() {
        precondition(OpenSSL.isReady, "OpenSSL does not start")
    }
}

/// What every use of the library shares: how it starts, and how its per-thread error queue is read and emptied.
enum OpenSSL {
    /// Without the exit handler, so that a thread that is still hashing while the process exits finds the library alive.
    /// It takes effect only when nothing has initialised the library before.
    static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// The oldest queued error as a `CryptoError`; empties the queue, which a TLS call on the same thread would misread.
    static func failure(_ operation: String) -> CryptoError {
        let code = ERR_get_error()
        ERR_clear_error()
        return .library(operation: operation, code: UInt(code))
    }

    /// Fetches an algorithm once. A library without it cannot run this program, so its absence is a crash.
    static func require(_ name: String, _ fetch: () -> OpaquePointer?) -> OpaquePointer {
        // There is no program without it.
        guard isReady, let algorithm = unsafe fetch() else { fatalError("OpenSSL does not provide \(name)") }
        return unsafe algorithm
    }
}
