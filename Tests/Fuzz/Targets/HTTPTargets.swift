@testable import HTTP
import Networking
import Text
@testable import Routing

/// The outcome of a head parser, to be compared.
private enum HeadOutcome: Equatable {
    case incomplete
    case refused(HTTPParseError)
    case head(method: String, path: String, query: String?, framing: BodyFraming, persistence: Persistence, consumed: Int)

    init(_ progress: ParseProgress<RequestHead>) {
        switch progress {
        case .incomplete: self = .incomplete
        case .complete(let head, let consumed):
            self = .head(
                method: "\(head.method)", path: head.path, query: head.query, framing: head.framing,
                persistence: head.persistence, consumed: consumed)
        }
    }
}

/// The head of a request: whether it arrives whole or byte by byte changes nothing, and it takes no more than there is.
func fuzzRequest(_ input: [UInt8]) {
    var parser = RequestParser(limits: Limits())
    let whole = outcome(&parser, input.span)
    if case .head(_, let path, _, _, _, let consumed) = whole {
        require(consumed > 0 && consumed <= input.count, "a head takes no more than there is")
        require(path == "*" || path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
    }
    var cut = RequestParser(limits: Limits())
    var last = HeadOutcome.incomplete
    for end in 0...input.count {
        last = outcome(&cut, input.span.extracting(0..<end))
        guard last == .incomplete else { break }
    }
    require(last == whole, "the cuts change nothing")
}

private func outcome(_ parser: inout RequestParser, _ input: Span<UInt8>) -> HeadOutcome {
    do throws(HTTPParseError) {
        return HeadOutcome(try parser.parse(input))
    } catch {
        return .refused(error)
    }
}

/// A chunked body: byte by byte it is what it is whole, and never longer than the limit.
func fuzzBody(_ input: [UInt8]) {
    var limits = Limits()
    limits.body = 4096
    let whole = decoded(input, step: max(1, input.count), limits)
    let cut = decoded(input, step: 1, limits)
    require(whole.body.count <= limits.body, "a body stays within its limit")
    require(whole.error == cut.error && whole.end == cut.end, "the cuts change nothing")
    if whole.error == nil { require(whole.body == cut.body, "the cuts do not change the body") }
}

private func decoded(
    _ input: [UInt8], step: Int, _ limits: Limits
) -> (body: [UInt8], end: Int?, error: HTTPParseError?) {
    var body: [UInt8] = []
    do throws(HTTPParseError) {
        var decoder = try BodyDecoder(framing: .chunked, limits: limits)
        var position = 0
        while position < input.count {
            let end = min(input.count, position + step)
            if case .complete(let consumed) = try decoder.decode(input.span.extracting(position..<end), into: &body) {
                return (body, position + consumed, nil)
            }
            position = end
        }
        return (body, nil, nil)
    } catch {
        return (body, nil, error)
    }
}

/// A form: both readers take or refuse it, and every name that the strict one tells has a value in the lenient one.
func fuzzForm(_ input: [UInt8]) {
    for repeatsLists in [false, true] {
        guard let fields = try? FormFields(parsing: input, repeatsLists: repeatsLists) else { continue }
        require(fields.count <= FormFields.maximumCount, "a form has at most so many fields")
        require(fields.names.count == fields.count, "every field has a name")
        _ = (fields.value("token"), fields.value("token_type_hint"), fields.secret("client_secret"))
    }
    if let form = try? LenientForm(urlEncoded: input) {
        _ = (form.value("email"), form.has("password"))
    }
}

/// A multipart form, with the boundary in its first line.
func fuzzMultipart(_ input: [UInt8]) {
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    let boundary = String(decoding: input[..<end].prefix(70), as: UTF8.self)
    if let form = try? LenientForm(multipart: Array(input[end...].dropFirst()), boundary: boundary) {
        _ = (form.value("email"), form.has("password"))
    }
}

/// The PROXY header, versions 1 and 2: incomplete ones end within the longest that there is.
func fuzzProxyHeader(_ input: [UInt8]) {
    do throws(ProxyHeader.Malformed) {
        switch try ProxyHeader.parse(input.span) {
        case .incomplete: require(input.count < 4112, "a header ends")
        case .complete(_, let consumed): require(consumed > 0 && consumed <= input.count, "it takes no more than there is")
        }
    } catch {}
}

/// `X-Forwarded-For` and `Forwarded` of a trusted proxy: reading them ends, whatever they hold.
func fuzzForwarded(_ input: [UInt8]) {
    guard let trusted = try? AddressBlock("10.0.0.0/8") else { return }
    for field in ForwardedField.allCases {
        guard let request = head(withField: "\(field.rawValue): ", input) else { continue }
        _ = TrustedProxies([trusted], field: field).client(toldBy: request)
    }
}

/// The cookies of a request: no value has a semicolon.
func fuzzCookies(_ input: [UInt8]) {
    guard let request = head(withField: "Cookie: ", input) else { return }
    for value in RequestCookies.values(named: "sid", in: request) {
        require(!value.revealedText.utf8.contains(UInt8(ascii: ";")), "a value ends at the semicolon")
    }
}

/// A request with a field line, if that can be one.
private func head(withField name: String, _ value: [UInt8]) -> RequestHead? {
    var parser = RequestParser(limits: Limits())
    let bytes = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\(name)".utf8) + value + [UInt8]("\r\n\r\n".utf8)
    guard case .complete(let head, _)? = try? parser.parse(bytes.span) else { return nil }
    return head
}
