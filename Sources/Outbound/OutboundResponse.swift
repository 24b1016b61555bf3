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

extension OutboundResponse {
    /// For how long the server says the answer may be used from now on (RFC 9111 §4.2): `max-age` less `Age`, zero when it is not to be
    /// kept at all, nil when nothing is said that can be understood. `s-maxage` and `Expires` are not looked at.
    package var freshness: Duration? {
        guard let control = field("cache-control") else { return nil }
        let directives = control.split(separator: ",").map(Self.directive)
        if directives.contains(where: { $0.name == "no-store" || $0.name == "no-cache" && $0.value.isEmpty }) { return .zero }
        let ages = directives.filter { $0.name == "max-age" }.compactMap { Self.seconds($0.value) }
        guard let lifetime = ages.min() else { return nil }
        return .seconds(max(0, lifetime - (Self.seconds(field("age") ?? "") ?? 0)))
    }

    /// RFC 9111 §5.2: the argument may be quoted.
    private static func directive(_ text: Substring) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
        return (parts[0].lowercased(), parts.count > 1 ? parts[1] : "")
    }

    /// RFC 9111 §1.2.2: a number that is too large is a large one.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 1 << 31)
    }
}
