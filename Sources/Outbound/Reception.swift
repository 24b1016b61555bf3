/// What has arrived of an answer. One thread touches it: that of the transfer.
final class Reception {
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    private let headLimit: Int
    private let bodyLimit: Int
    private var headByteCount = 0

    init(headLimit: Int, bodyLimit: Int) {
        self.headLimit = headLimit
        self.bodyLimit = bodyLimit
    }

    /// A line of the head, with its line end. Returns whether it may go on.
    func takeHead(_ line: [UInt8]) -> Bool {
        headByteCount += line.count
        guard headByteCount <= headLimit else {
            isTooLarge = true
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Another response: what came before was an interim one (RFC 9110 §15.2).
            fields = []
        } else if let colon = text.firstIndex(of: ":") {
            fields.append((String(text[..<colon]), Self.trimmed(text[text.index(after: colon)...])))
        }
        return true
    }

    /// A part of the body. Returns whether it may go on.
    func takeBody(_ part: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= bodyLimit - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: part)
        return true
    }

    private static func trimmed(_ value: Substring) -> String {
        var value = value.unicodeScalars
        while let last = value.last, last.properties.isWhitespace { value.removeLast() }
        return String(String.UnicodeScalarView(value.drop { $0.properties.isWhitespace }))
    }
}
