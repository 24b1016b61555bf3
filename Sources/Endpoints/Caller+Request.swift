import HTTP
import Identity

extension Caller {
    /// The caller of a request: the other end of the connection, and what its `User-Agent` calls itself.
    init(_ request: Request) {
        self.init(
            address: request.peer.isEmpty ? nil : request.peer, referenceID: request.id,
            device: DeviceDescription(request.head.value(of: .userAgent) ?? ""))
    }
}
