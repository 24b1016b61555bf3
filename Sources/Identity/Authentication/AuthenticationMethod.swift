/// One way in which somebody has proved who they are: a value of `amr` (RFC 8176). One that this version does not know is kept as it is, and is
/// equal to nothing but itself.
package struct AuthenticationMethod: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// In bytes.
    package static let maximumLength = 32

    /// A password.
    package static let password = AuthenticationMethod(checked: "pwd")
    /// A proof of an identity provider, such as an id token. RFC 8176 has no value for it; `fed` is what others say.
    package static let provider = AuthenticationMethod(checked: "fed")
    /// A one-time password.
    package static let oneTimePassword = AuthenticationMethod(checked: "otp")
    /// A key that cannot leave its device.
    package static let hardwareKey = AuthenticationMethod(checked: "hwk")
    /// A key that can.
    package static let softwareKey = AuthenticationMethod(checked: "swk")
    /// More than one factor.
    package static let multipleFactors = AuthenticationMethod(checked: "mfa")

    package let text: String

    /// 1 to 32 visible ASCII characters but for quotes, backslashes and commas; `nil` for anything else. Nothing at all is no method, and no
    /// password.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = String(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: ",")
    }

    private init(checked text: String) {
        self.text = text
    }

    package var description: String {
        text
    }

    package static func < (left: AuthenticationMethod, right: AuthenticationMethod) -> Bool {
        left.text < right.text
    }
}

extension Set<AuthenticationMethod> {
    /// As it is stored: with spaces between, always in the same order.
    var stored: String {
        sorted().map(\.text).joined(separator: " ")
    }

    /// As it was stored. Of empty text it is the empty set.
    init(stored text: some StringProtocol) {
        self = Set(text.split(separator: " ").compactMap { AuthenticationMethod($0) })
    }
}
