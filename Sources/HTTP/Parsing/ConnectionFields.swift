extension Persistence {
    /// What RFC 9112 §9.3 makes of the version and the options of the Connection field, `close` being the strongest.
    init(_ bytes: Span<UInt8>, _ fields: FieldTable, version: HTTPVersion) throws(HTTPParseError) {
        var options: (close: Bool, keepAlive: Bool) = (false, false)
        if fields.isRepeated(.connection) {
            for line in fields.lines where bytes.equalsIgnoringCase(KnownField.connection.name, in: line.name.range) {
                try Self.read(bytes, line.value.range, into: &options)
            }
        } else if let value = fields.value(of: .connection) {
            try Self.read(bytes, value, into: &options)
        }
        self =
            switch (version, options) {
            case (_, (close: true, _)): .close
            case (.http11, _): .keepAlive
            case (.http10, (_, keepAlive: true)): .announcedKeepAlive
            case (.http10, _): .close
            }
    }

    private static func read(
        _ bytes: Span<UInt8>, _ range: Range<Int>, into options: inout (close: Bool, keepAlive: Bool)
    ) throws(HTTPParseError) {
        var start = range.lowerBound
        while start <= range.upperBound {
            let end = bytes.firstIndex(of: .ascii(","), in: start..<range.upperBound) ?? range.upperBound
            let option = bytes.trimmingWhitespace(start..<end)
            guard bytes.allSatisfy(.token, in: option) else {
                throw .malformedConnection
            }
            if bytes.equalsIgnoringCase("close", in: option) {
                options.close = true
            } else if bytes.equalsIgnoringCase("keep-alive", in: option) {
                options.keepAlive = true
            }
            start = end + 1
        }
    }
}

extension ClientExpectation {
    /// `100-continue` is the only expectation there is (RFC 9110 §10.1.1). It is ignored when no body follows and from
    /// HTTP/1.0 clients, which cannot read an interim response.
    init(_ bytes: Span<UInt8>, _ fields: FieldTable, version: HTTPVersion, framing: BodyFraming) throws(HTTPParseError) {
        guard let value = fields.value(of: .expect) else {
            self = .none
            return
        }
        guard bytes.equalsIgnoringCase("100-continue", in: value), !fields.isRepeated(.expect) else {
            throw .unsupportedExpectation
        }
        self = version == .http11 && framing != .none ? .continueBeforeBody : .none
    }
}
