import Text

/// Writes responses onto the bytes a connection is about to send.
package enum ResponseSerializer {
    /// What tells a client to go on and send its body (RFC 9110 §15.2.1).
    package static let continueResponse: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

    /// The body that goes out with a response.
    package static func body(of response: Response, answering method: Method?) -> [UInt8] {
        response.status.allowsBody && method != .head && !response.fields.isRefused ? response.body : []
    }

    /// Appends one response.
    ///
    /// - Parameters:
    ///   - leavesBody: whether the caller sends what `body(of:answering:)` gives behind it.
    ///   - method: of the request; `nil` when none could be read. HEAD gets the length of the body, but no body.
    ///   - requestID: left out if it is not printable ASCII.
    ///   - date: the present time as an IMF-fixdate (RFC 9110 §5.6.7), which callers render once a second.
    package static func append(
        _ response: Response, to output: inout [UInt8], answering method: Method?, requestID: String, date: [UInt8],
        persistence: Persistence, leavesBody: Bool = false
    ) {
        guard !response.fields.isRefused else {
            append(
                Response(.internalServerError), to: &output, answering: method, requestID: requestID, date: date,
                persistence: persistence)
            return
        }
        let body = leavesBody ? [] : body(of: response, answering: method)
        let variable = date.count + requestID.utf8.count + response.fields.lines.count + body.count
        let typeLength = response.contentType?.utf8CodeUnitCount ?? 0
        output.append(addingCapacity: literalCapacity + typeLength + variable) { output in
            appendStatusLine(response.status, to: &output)
            if response.status.allowsBody {
                appendContentFields(of: response, to: &output)
            }
            output.append("Date: ")
            output.append(date)
            appendRequestID(requestID, to: &output)
            switch persistence {
            case .keepAlive: break
            case .announcedKeepAlive: output.append("Connection: keep-alive\r\n")
            case .close: output.append("Connection: close\r\n")
            }
            output.append(response.fields.lines)
            output.append("\r\n")
            output.append(body)
        }
    }

    /// More than all literals below, the longest reason phrase and the digits of a length come to.
    private static let literalCapacity = 320

    private static func appendStatusLine(_ status: Status, to output: inout OutputSpan<UInt8>) {
        if status == .ok {
            output.append("HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\n")
            return
        }
        output.append("HTTP/1.1 ")
        output.append(decimal: Int(status.code))
        output.append(.space)
        output.append(status.reasonPhrase)
        output.append("\r\nX-Content-Type-Options: nosniff\r\n")
    }

    private static func appendContentFields(of response: Response, to output: inout OutputSpan<UInt8>) {
        if response.endlessBody == nil {
            output.append("Content-Length: ")
            output.append(decimal: response.body.count)
            output.append("\r\n")
        }
        if let contentType = response.contentType {
            output.append("Content-Type: ")
            output.append(contentType)
            output.append("\r\n")
        }
    }

    /// Ends the Date line and adds the identifier, if it is fit to be seen.
    private static func appendRequestID(_ requestID: String, to output: inout OutputSpan<UInt8>) {
        let span = requestID.utf8.span
        let all = 0..<span.count
        guard !all.isEmpty, span.firstUnprintable(in: all) == all.upperBound else {
            output.append("\r\n")
            return
        }
        output.append("\r\nX-Request-Id: ")
        unsafe span.withUnsafeBufferPointer { unsafe output.append($0) }
        output.append("\r\n")
    }
}
