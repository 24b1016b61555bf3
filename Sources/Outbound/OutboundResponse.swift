/// What another server answered: any status, redirects aside.
package struct OutboundResponse: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// In the order in which they came.
    let fields: [(name: String, value: String)]

    package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of a field, whatever the case of its name; several are one list (RFC 9110 §5.3). Nil when there is none.
    package func field(_ name: String) -> String? {
        let name = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
