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
