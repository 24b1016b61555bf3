@testable import HTTP

/// What a connection would make of some bytes: the same loop over head and body, without the socket.
struct Conversation {
    private(set) var requests: [(head: RequestHead, body: [UInt8])] = []
    private(set) var error: HTTPParseError?
    /// Bytes that were not consumed.
    private(set) var rest = 0

    /// Feeds the bytes in stretches that end at the cuts, and then at the end.
    init(_ bytes: [UInt8], limits: Limits = Limits(), cuts: [Int] = []) {
        var parser = RequestParser(limits: limits)
        var open: (head: RequestHead, decoder: BodyDecoder, body: [UInt8])?
        var start = 0
        do throws(HTTPParseError) {
            for end in cuts + [bytes.count] {
                while true {
                    let input = bytes.span.extracting(start..<end)
                    if let (head, decoder, body) = open {
                        var (decoder, body) = (decoder, body)
                        switch try decoder.decode(input, into: &body) {
                        case .complete(let consumed):
                            requests.append((head, body))
                            open = nil
                            start += consumed
                            continue
                        case .incomplete:
                            open = (head, decoder, body)
                            start = end
                        }
                    } else if case .complete(let head, let consumed) = try parser.parse(input) {
                        open = (head, try BodyDecoder(framing: head.framing, limits: limits), [])
                        start += consumed
                        continue
                    }
                    break
                }
            }
        } catch {
            self.error = error
        }
        rest = bytes.count - start
    }

    init(_ text: String, limits: Limits = Limits(), cuts: [Int] = []) {
        self.init([UInt8](text.utf8), limits: limits, cuts: cuts)
    }
}

/// The head of a request that must be well formed.
func parsedHead(_ text: String, limits: Limits = Limits()) throws -> RequestHead {
    var parser = RequestParser(limits: limits)
    let bytes = [UInt8](text.utf8)
    guard case .complete(let head, _) = try parser.parse(bytes.span) else {
        throw IncompleteHead()
    }
    return head
}

/// The head of a GET with these field lines.
func parsedHead(fields: [String], method: String = "GET", path: String = "/") throws -> RequestHead {
    try parsedHead("\(method) \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
}

struct IncompleteHead: Error {}
