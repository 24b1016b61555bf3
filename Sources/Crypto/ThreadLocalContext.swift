import Glibc

/// One context per thread, made on first use and freed when the thread ends: OpenSSL's, as a rule.
///
/// Making and freeing a context costs about as much as hashing a token. A context is only ever used inside one synchronous call,
/// so no two users of a thread can meet in it.
@safe struct ThreadLocalContext: Sendable {
    private let key: pthread_key_t
    private let make: @Sendable () -> OpaquePointer?

    init(
        make: @escaping @Sendable () -> OpaquePointer?,
        free: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
    ) {
        var key = pthread_key_t()
        // Once a process, at its start.
        guard unsafe pthread_key_create(&key, free) == 0 else { fatalError("out of thread-specific keys") }
        self.key = key
        unsafe self.make = make
    }

    /// The calling thread's context; valid until the thread ends.
    var pointer: OpaquePointer {
        if let existing = unsafe pthread_getspecific(key) { return OpaquePointer(existing) }
        guard let created = unsafe make(), unsafe pthread_setspecific(key, UnsafeRawPointer(created)) == 0
        else {
            fatalError("out of memory for a context")  // as everywhere in Swift; nothing could be hashed or drawn without it
        }
        return unsafe created
    }
}
