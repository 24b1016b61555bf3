/// A request as it goes out. What is not set here is not sent, but for `Host` and the length of the body.
package struct TestHTTPRequest: Sendable {
    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    /// Nil for a request without a body and without a `Content-Length`.
    package var body: [UInt8]?

    package init(_ method: String, _ target: String, _ fields: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    package var bytes: [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }
}

/// A response as it came.
package struct TestHTTPResponse: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    /// The value of a field that came exactly once; `name` in any case.
    package func value(_ name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Everything but what differs from one answer to the next: two of these are equal if nobody can tell the answers apart. Where the
    /// caller stands with the limits is counted on by whoever else asks from the same address; `LimitTests` compares that.
    package var constantPart: String {
        let changing = ["date", "x-request-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
        let constant = fields.filter { !changing.contains($0.name.lowercased()) }
        return (["\(status)"] + constant.map { "\($0.name): \($0.value)" } + [text]).joined(separator: "\n")
    }
}
