/// Who asks, as far as the way in knows: for audit events, limits and the list of devices.
package struct Caller: Sendable {
    /// The client's address in its usual form.
    package let address: String?
    /// The name of the request in logs and answers.
    package let referenceID: String?
    package let device: DeviceDescription
    /// What the app calls the device, if it does.
    package let deviceID: DeviceID?
    /// Whether it is a web page: of ours, or of a site that has a browser ask.
    package let isPage: Bool
    /// What a mail is written in that nobody has asked for, and this caller has caused.
    let language: @Sendable () -> Mail.Language
    /// Told how the caller stands with the limits, each time that is known anew.
    let report: @Sendable (LimitStanding) -> Void

    package init(
        address: String?, referenceID: String?, device: DeviceDescription, deviceID: DeviceID? = nil,
        isPage: Bool = false,
        language: @escaping @Sendable () -> Mail.Language = { .english },
        report: @escaping @Sendable (LimitStanding) -> Void = { _ in }
    ) {
        self.address = address.map(Self.storable)
        self.referenceID = referenceID.map(Self.storable)
        self.device = device
        self.deviceID = deviceID
        self.isPage = isPage
        self.language = language
        self.report = report
    }

    /// PostgreSQL takes no NUL in a text.
    private static func storable(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
    }
}
