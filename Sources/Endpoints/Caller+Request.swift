import HTTP
import Identity

extension Caller {
    /// The caller of a request: its client's address, as far as trusted proxies tell, and what its `User-Agent` calls itself.
    init(_ request: Request) {
        let address = request.origin.client
        self.init(
            address: address.isEmpty ? nil : address, referenceID: request.id,
            device: DeviceDescription(request.head.value(of: .userAgent) ?? ""))
    }
}
