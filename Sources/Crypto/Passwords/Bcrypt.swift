import CCrypt
import COpenSSL
import Text

/// Checking of passwords against bcrypt hashes that users have brought along from elsewhere. None that is kept is ever made here.
///
/// One check takes up to a second of one core, on the calling thread: never call it on an event loop.
package enum Bcrypt {
    /// All of a longer password that bcrypt looks at, in bytes.
    package static let maximumPasswordLength = 72
    /// Logarithms of the number of rounds that a stored hash may ask for; 14 is about a second.
    package static let costs = 4...14

    /// What stands before the hash of a password's SHA-256 in hexadecimal digits, as Django makes it.
    package static let digestMark = "$sha256-hex"

    /// Whether a stored hash is one of bcrypt's by its look.
    package static func made(_ encoded: String) -> Bool {
        unmarked(encoded).utf8.starts(with: "$2".utf8)
    }

    private static func unmarked(_ encoded: String) -> String {
        encoded.hasPrefix(digestMark + "$") ? String(encoded.dropFirst(digestMark.count)) : encoded
    }

    /// Whether this is the password of a stored hash. The hashes are compared in constant time.
    ///
    /// A password of which bcrypt would see only a part, because it is longer than 72 bytes or has a NUL, is never the right one; it
    /// costs the same work.
    ///
    /// Throws `malformedPasswordHash`, or `passwordParametersRefused` for a cost outside ``costs``, before any work is done.
    package static func verify(password: [UInt8], against encoded: String) throws(CryptoError) -> Bool {
        let isMarked = encoded.hasPrefix(digestMark + "$")
        let password = isMarked ? Hex.encodedBytes(SHA256.hash(password).bytes.span) : password
        let encoded = unmarked(encoded)
        try check(encoded)
        let isWhole = password.count <= maximumPasswordLength && !password.contains(0)
        let hash = try hash(of: password.prefix(maximumPasswordLength).filter { $0 != 0 }, setting: encoded)
        return ConstantTime.equal(hash, Array(encoded.utf8)) && isWhole
    }

    /// The cost of a stored hash; nil for what is none that can be checked.
    package static func cost(of encoded: String) -> Int? {
        let encoded = unmarked(encoded)
        guard made(encoded), (try? check(encoded)) != nil else { return nil }
        return Array(encoded.utf8)[4...5].reduce(0) { 10 * $0 + Int($1) - 0x30 }
    }

    /// Does what a check at a cost takes, for nothing: always false.
    package static func work(password: [UInt8], cost: Int) throws(CryptoError) -> Bool {
        guard costs.contains(cost) else { throw .passwordParametersRefused }
        let setting = "$2b$" + (cost < 10 ? "0" : "") + String(cost) + "$" + String(repeating: ".", count: 22)
        _ = try hash(of: password.prefix(maximumPasswordLength).filter { $0 != 0 }, setting: setting)
        return false
    }

    /// `$2a$`, `$2b$` or `$2y$`, two digits, `$`, and 22 and 31 characters of bcrypt's own base64. `$2x$` is for hashes that a broken
    /// program made.
    private static func check(_ encoded: String) throws(CryptoError) {
        let bytes = Array(encoded.utf8.prefix(61))
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: { bytes.starts(with: $0.utf8) }),
            bytes[6] == UInt8(ascii: "$"), bytes[7...].allSatisfy(isDigit64)
        else { throw .malformedPasswordHash }
        let digits = bytes[4...5].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { throw .malformedPasswordHash }
        guard costs.contains(10 * digits[0] + digits[1]) else { throw .passwordParametersRefused }
    }

    private static func isDigit64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// - Parameter password: without NUL.
    private static func hash(of password: [UInt8], setting: String) throws(CryptoError) -> [UInt8] {
        let byteCount = MemoryLayout<crypt_data>.size
        let phrase = password.map { CChar(bitPattern: $0) } + [0]
        let result: [UInt8]? = unsafe withUnsafeTemporaryAllocation(
            byteCount: byteCount, alignment: MemoryLayout<crypt_data>.alignment
        ) { memory in
            // libxcrypt wants it cleared before, and leaves the password in it afterwards.
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
            defer { unsafe OPENSSL_cleanse(memory.baseAddress, byteCount) }
            guard let output = unsafe crypt_rn(phrase, setting, memory.baseAddress, Int32(byteCount)) else { return nil }
            return unsafe Array(String(cString: output).utf8)
        }
        guard let result else { throw .library(operation: "crypt_rn", code: 0) }
        return result
    }
}
