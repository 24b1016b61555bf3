import Text

/// How the addresses that somebody looks for begin, in their normalised form: as the bounds of a range, in which no character means
/// anything but itself.
package struct EmailPrefix: Equatable, Sendable {
    /// The lowest text that begins so.
    package let lowerBound: String
    /// The lowest text behind all that begin so.
    let upperBound: String

    /// 1 to 254 visible ASCII characters, whose case does not matter; a whole address may have an international domain. Nil for
    /// anything else.
    package init?(_ text: String) {
        let normalized = (try? EmailAddress(text))?.normalized ?? text.lowercased()
        var bytes = Array(normalized.utf8)
        guard (1...EmailAddress.maximumLength).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        lowerBound = normalized
        bytes[bytes.count - 1] += 1
        upperBound = String(decoding: bytes, as: UTF8.self)
    }
}
