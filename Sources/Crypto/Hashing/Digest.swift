import COpenSSL
import Text

/// A SHA-256 digest: 32 bytes stored inline, so that it costs no allocation as a key or a value.
///
/// `==` and hashing are for digests that are no secret, such as lookup keys; for anything an attacker could learn byte by byte
/// use ``matches(_:)``.
package struct Digest: Hashable, Sendable {
    package static let byteCount = 32

    /// The bytes in memory order, whatever the machine's byte order.
    private var words: Words = Words()

    private struct Words: Equatable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    /// `nil` unless there are exactly 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        unsafe withUnsafeMutableBytes(of: &words) { destination in unsafe destination.copyBytes(from: bytes) }
    }

    /// Lets a C function write the 32 bytes in place; `nil` when it reports failure.
    init?(filling write: (UnsafeMutablePointer<UInt8>) -> Bool) {
        let isFilled = unsafe withUnsafeMutableBytes(of: &words) { destination in
            guard let start = destination.baseAddress else { return false }
            return unsafe write(start.assumingMemoryBound(to: UInt8.self))
        }
        guard isFilled else { return nil }
    }

    /// The first bytes of one, and zeros in place of the others; `nil` for more than there are.
    package init?(first bytes: [UInt8]) {
        guard bytes.count <= Self.byteCount else { return nil }
        unsafe withUnsafeMutableBytes(of: &words) { destination in unsafe destination.copyBytes(from: bytes) }
    }

    /// With zeros in place of all but the first bytes.
    package func keeping(first count: Int) -> Digest {
        var kept = self
        unsafe withUnsafeMutableBytes(of: &kept.words) { bytes in
            for index in count..<Self.byteCount { unsafe bytes[index] = 0 }
        }
        return kept
    }

    /// One word is as good as all: they are random.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.first)
    }

    package var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: words) { unsafe [UInt8]($0) }
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String {
        hex(behind: "")
    }

    /// A prefix and the hexadecimal digits, as one string made in one go.
    package func hex(behind prefix: StaticString) -> String {
        let start = prefix.utf8CodeUnitCount
        return unsafe withUnsafeBytes(of: words) { source in
            unsafe String(unsafeUninitializedCapacity: start + Self.byteCount * 2) { destination in
                for index in 0..<start { unsafe destination[index] = prefix.utf8Start[index] }
                let output = UnsafeMutableRawBufferPointer(destination)
                for offset in stride(from: 0, to: Self.byteCount, by: 4) {
                    let digits = unsafe Hex.digits(of: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian)
                    unsafe output.storeBytes(of: digits.bigEndian, toByteOffset: start + 2 * offset, as: UInt64.self)
                }
                return start + Self.byteCount * 2
            }
        }
    }

    /// A prefix and the first bytes in base64url (RFC 4648 §5), as one string made in one go.
    /// - Parameter count: how many bytes, a multiple of three.
    package func base64URL(_ count: Int, behind prefix: StaticString) -> String {
        let start = prefix.utf8CodeUnitCount
        return unsafe withUnsafeBytes(of: words) { source in
            unsafe String(unsafeUninitializedCapacity: start + count / 3 * 4) { destination in
                for index in 0..<start { unsafe destination[index] = prefix.utf8Start[index] }
                var position = start
                for offset in stride(from: 0, to: count, by: 3) {
                    let group = unsafe UInt32(source[offset]) << 16 | UInt32(source[offset + 1]) << 8 | UInt32(source[offset + 2])
                    unsafe destination[position] = Base64URL.symbol(of: group >> 18 & 63)
                    unsafe destination[position + 1] = Base64URL.symbol(of: group >> 12 & 63)
                    unsafe destination[position + 2] = Base64URL.symbol(of: group >> 6 & 63)
                    unsafe destination[position + 3] = Base64URL.symbol(of: group & 63)
                    position += 4
                }
                return position
            }
        }
    }

    /// Equality in a time that does not depend on where the digests differ.
    package func matches(_ other: Digest) -> Bool {
        unsafe withUnsafeBytes(of: words) { left in
            unsafe withUnsafeBytes(of: other.words) { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, Self.byteCount) == 0
            }
        }
    }

    /// Calls the body with the 32 bytes, without copying them to the heap.
    func withUnsafeDigestBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe withUnsafeBytes(of: words) { unsafe body($0) }
    }
}

extension Digest: CustomStringConvertible {
    package var description: String {
        hex
    }
}
