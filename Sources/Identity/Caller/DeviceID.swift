/// What an app calls the device it runs on: a random text that it made up once and keeps. Untrusted; all that it can do is to have a
/// device counted by itself, and to have one recognised that has signed in before.
package struct DeviceID: Equatable, Sendable {
    /// In bytes.
    package static let maximumLength = 128

    package let text: String

    /// 1 to 128 visible ASCII characters; `nil` for anything else.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}
