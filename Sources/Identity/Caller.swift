/// Who asks, as far as the way in knows: for audit events and the list of devices.
package struct Caller: Sendable {
    /// The client's address in its usual form.
    package let address: String?
    /// The name of the request in logs and answers.
    package let referenceID: String?
    package let device: DeviceDescription

    package init(address: String?, referenceID: String?, device: DeviceDescription) {
        self.address = address.map(Self.storable)
        self.referenceID = referenceID.map(Self.storable)
        self.device = device
    }

    /// PostgreSQL takes no NUL in a text.
    private static func storable(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    }
}
