import HTTP
import Text

extension Response {
    /// A JSON answer of this API. It names the encoding, as the contract's server does, and is never kept by a cache.
    static func appJSON(_ status: Status, _ writer: JSONWriter, fields: ResponseFields = .notStored) -> Response {
        Response(status, contentType: "application/json; charset=utf-8", fields: fields, body: writer.bytes)
    }
}
