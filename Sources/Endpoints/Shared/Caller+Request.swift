import HTTP
import Identity

extension Caller {
    /// The caller of a request: its client's address, as far as trusted proxies tell, and what its `User-Agent` calls itself.
    /// - Parameter language: what the answer is written in, where that is not what the request asks for.
    init(_ request: Request, in language: AcceptedLanguage? = nil) {
        let address = request.origin.client
        self.init(
            address: address.isEmpty ? nil : address, referenceID: request.id,
            device: DeviceDescription(request.head.value(of: .userAgent) ?? ""), deviceID: Self.deviceID(request.head),
            isPage: Self.isPage(request.head),
            language: { [head = request.head] in (language ?? AcceptedLanguage(head)).ofMails },
            report: { [notes = request.notes] standing in notes?.fields = LimitFields.fields(standing) })
    }

    /// Whether a browser says that it asks on behalf of a page. Apps' HTTP libraries send none of these.
    private static func isPage(_ head: RequestHead) -> Bool {
        ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"].contains { !head.values(named: $0).isEmpty }
    }

    /// `X-Device-ID`, if it came once and can be one. It is a help to the device, so a bad one is none.
    private static func deviceID(_ head: RequestHead) -> DeviceID? {
        let values = head.values(named: "x-device-id")
        return values.count == 1 ? DeviceID(values[0]) : nil
    }
}
