/// The name of an identity provider in settings, records and URLs: `apple`, `google`, or what the operator called it.
package struct ProviderID: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 32

    package static let apple = ProviderID(checked: "apple")
    package static let google = ProviderID(checked: "google")

    /// 1 to 32 of the ASCII letters in lower case, digits and hyphens.
    package let text: String

    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    init(checked text: String) {
        self.text = text
    }

    package var description: String {
        text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
