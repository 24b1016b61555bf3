import COpenSSL
import Text

/// Secret bytes that are overwritten with zeros when the last reference goes, and never print.
package struct ProtectedBytes: Sendable, Redacted {
    private let storage: Storage

    /// A copy of the bytes; the source stays the caller's to clear.
    package init(_ bytes: Span<UInt8>) {
        storage = unsafe Storage(count: bytes.count) { destination in
            unsafe bytes.withUnsafeBufferPointer { unsafe destination.copyMemory(from: UnsafeRawBufferPointer($0)) }
            return true
        }
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// Lets a C function write the secret in place, so that no other copy of it is left behind; `nil` when it reports failure.
    init?(count: Int, filling write: (UnsafeMutableRawBufferPointer) -> Bool) {
        var isFilled = false
        storage = unsafe Storage(count: count) { destination in
            isFilled = unsafe write(destination)
            return isFilled
        }
        guard isFilled else { return nil }
    }

    package var count: Int {
        storage.count
    }

    /// An ordinary copy of the secret, which nobody clears. Every use is a place to check that it goes into no log or error.
    package var revealedBytes: [UInt8] {
        withBytes { bytes in
            [UInt8](capacity: bytes.count) { output in
                for index in bytes.indices { output.append(bytes[index]) }
            }
        }
    }

    /// The bytes for the length of the call, without a copy.
    package func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    func withUnsafeStoredBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe storage.withUnsafeStoredBytes(body)
    }

    // Sendable holds because the bytes are written in init only and cleared in deinit, when nobody else can see them.
    @safe private final class Storage: @unchecked Sendable {
        let count: Int
        private let start: UnsafeMutablePointer<UInt8>

        init(count: Int, filling write: (UnsafeMutableRawBufferPointer) -> Bool) {
            self.count = count
            unsafe start = .allocate(capacity: max(count, 1))
            unsafe start.initialize(repeating: 0, count: max(count, 1))
            _ = unsafe write(UnsafeMutableRawBufferPointer(start: start, count: count))
        }

        deinit {
            unsafe OPENSSL_cleanse(start, count)
            unsafe start.deallocate()
        }

        func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
            let buffer = unsafe UnsafeBufferPointer(start: start, count: count)
            return try unsafe body(buffer.span)
        }

        func withUnsafeStoredBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            unsafe body(UnsafeBufferPointer(start: start, count: count))
        }
    }
}
