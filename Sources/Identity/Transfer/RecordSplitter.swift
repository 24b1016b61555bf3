/// A record of a file, not read yet.
package enum RawRecord: Equatable, Sendable {
    /// An object, as JSON text.
    case json([UInt8])
    case row([String])
    case problem(TransferProblem)
}

/// Takes a file apart as it comes, record by record. What is broken gives a problem, and the next record is looked for. It keeps no more
/// than one record.
package protocol RecordSplitter: Sendable {
    mutating func take(_ bytes: ArraySlice<UInt8>, _ found: inout [RawRecord])
    /// After the last byte.
    mutating func finish(_ found: inout [RawRecord])
}

package enum RecordLimits {
    /// In bytes, of one record.
    package static let byteCount = 1 << 20
}

/// Lines, each a JSON object.
package struct LineSplitter: RecordSplitter {
    private var line: [UInt8] = []
    private var isTooLarge = false

    package init() {}

    package mutating func take(_ bytes: ArraySlice<UInt8>, _ found: inout [RawRecord]) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            flush(&found)
            rest = rest[(end + 1)...]
        }
        append(rest)
    }

    package mutating func finish(_ found: inout [RawRecord]) {
        flush(&found)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard line.count + bytes.count <= RecordLimits.byteCount else {
            isTooLarge = true
            return line.removeAll()
        }
        if !isTooLarge { line += bytes }
    }

    private mutating func flush(_ found: inout [RawRecord]) {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLarge = false
        }
        guard !isTooLarge else { return found.append(.problem(TransferProblem(.tooLarge))) }
        guard line.contains(where: { $0 > 0x20 }) else { return }
        found.append(.json(line))
    }
}

/// The objects of the first array of a JSON document, which may be the document, or a member of it as in `{"users": […]}`.
package struct JSONElementSplitter: RecordSplitter {
    private enum Phase {
        /// Before the array.
        case start
        case between
        case element
        /// After something broken: the next line that begins with an object is looked for.
        case lost(isLineStart: Bool)
        case end
    }

    private var phase = Phase.start
    private var element: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isTooLarge = false

    package init() {}

    package mutating func take(_ bytes: ArraySlice<UInt8>, _ found: inout [RawRecord]) {
        for byte in bytes {
            switch phase {
            case .start: if byte == UInt8(ascii: "[") { phase = .between }
            case .between: takeBetween(byte, &found)
            case .element: takeInside(byte, &found)
            case .lost(let isLineStart): takeLost(byte, isLineStart)
            case .end: return
            }
        }
    }

    package mutating func finish(_ found: inout [RawRecord]) {
        switch phase {
        case .end: return
        case .start: found.append(.problem(TransferProblem(.malformed, "there is no array of users in the file")))
        case .between, .element, .lost: found.append(.problem(TransferProblem(.truncated, "the file ends before its list does")))
        }
        phase = .end
    }

    private mutating func takeBetween(_ byte: UInt8, _ found: inout [RawRecord]) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): return
        case UInt8(ascii: "]"): phase = .end
        case UInt8(ascii: "{"): begin()
        default: lose(byte, &found)
        }
    }

    private mutating func begin() {
        element = [UInt8(ascii: "{")]
        (depth, isInString, isEscaped, isTooLarge) = (1, false, false, false)
        phase = .element
    }

    private mutating func takeInside(_ byte: UInt8, _ found: inout [RawRecord]) {
        if isInString {
            if byte == UInt8(ascii: "\n") { return lose(byte, &found) }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
        } else {
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        keep(byte)
        guard depth == 0 else { return }
        found.append(isTooLarge ? .problem(TransferProblem(.tooLarge)) : .json(element))
        phase = .between
    }

    private mutating func keep(_ byte: UInt8) {
        guard !isTooLarge else { return }
        element.append(byte)
        guard element.count > RecordLimits.byteCount else { return }
        isTooLarge = true
        element = []
    }

    private mutating func lose(_ byte: UInt8, _ found: inout [RawRecord]) {
        found.append(.problem(TransferProblem(isTooLarge ? .tooLarge : .malformed)))
        isTooLarge = false
        element = []
        phase = .lost(isLineStart: byte == UInt8(ascii: "\n"))
    }

    private mutating func takeLost(_ byte: UInt8, _ isLineStart: Bool) {
        switch byte {
        case UInt8(ascii: "\n"): phase = .lost(isLineStart: true)
        case 0x20, 0x09, 0x0D: return
        case UInt8(ascii: "{") where isLineStart: begin()
        case UInt8(ascii: "]") where isLineStart: phase = .end
        default: phase = .lost(isLineStart: false)
        }
    }
}

/// Rows of comma-separated values (RFC 4180). A quote inside of a field that is not doubled stands for itself, as some programs write it.
package struct CSVSplitter: RecordSplitter {
    private enum Phase {
        case fieldStart, plain, quoted
        /// After a quote in a quoted field: its end, or half of a quote.
        case quote
        /// Too large: the end of the line is looked for.
        case lost
    }

    private var phase = Phase.fieldStart
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    private var byteCount = 0
    private let columns: ClosedRange<Int>?
    /// The row as it came, where there are `columns`.
    private var raw: [UInt8] = []

    /// - Parameter columns: how many a row has, for files of programs that do not double quotes. Each line of a row of several is taken for
    ///   a row if the whole has another number, or if one of them has that number by itself.
    package init(columns: ClosedRange<Int>? = nil) {
        self.columns = columns
    }

    package mutating func take(_ bytes: ArraySlice<UInt8>, _ found: inout [RawRecord]) {
        for byte in bytes {
            byteCount += 1
            if columns != nil, !isLost { raw.append(byte) }
            if byteCount > RecordLimits.byteCount, !isLost {
                if raw.contains(UInt8(ascii: "\n")) {
                    takeLines(&found)
                    continue
                }
                lose()
            }
            switch phase {
            case .lost: if byte == UInt8(ascii: "\n") { endRow(&found) }
            case .fieldStart where byte == UInt8(ascii: "\""): phase = .quoted
            case .fieldStart, .plain: takePlain(byte, &found)
            case .quoted: if byte == UInt8(ascii: "\"") { phase = .quote } else { field.append(byte) }
            case .quote: takeAfterQuote(byte, &found)
            }
        }
    }

    package mutating func finish(_ found: inout [RawRecord]) {
        if isLost || byteCount > 0 { endRow(&found) }
        // What has been left over of several lines.
        if byteCount > 0 { endRow(&found) }
    }

    /// Whether a quote that nobody has closed holds lines together.
    private func isSeveralRows(_ columns: ClosedRange<Int>, count: Int) -> Bool {
        let lines = raw.split(separator: UInt8(ascii: "\n"))
        guard lines.count > 1 else { return false }
        return !columns.contains(count)
            || lines.dropFirst().contains { bytes in
                var (line, found) = (CSVSplitter(), [RawRecord]())
                line.take(bytes, &found)
                line.finish(&found)
                guard case .row(let row)? = found.first else { return false }
                return columns.contains(row.count)
            }
    }

    private mutating func takeLines(_ found: inout [RawRecord]) {
        var rest = raw[...]
        (fields, field, raw, byteCount, phase) = ([], [], [], 0, .fieldStart)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            var line = CSVSplitter()
            line.take(rest[...end], &found)
            line.finish(&found)
            rest = rest[(end + 1)...]
        }
        take(rest, &found)
    }

    private var isLost: Bool {
        if case .lost = phase { true } else { false }
    }

    private mutating func takePlain(_ byte: UInt8, _ found: inout [RawRecord]) {
        switch byte {
        case UInt8(ascii: ","): endField()
        case UInt8(ascii: "\n"): endRow(&found)
        default:
            field.append(byte)
            phase = .plain
        }
    }

    private mutating func takeAfterQuote(_ byte: UInt8, _ found: inout [RawRecord]) {
        switch byte {
        case UInt8(ascii: "\""):
            field.append(byte)
            phase = .quoted
        case UInt8(ascii: ","): endField()
        case UInt8(ascii: "\n"): endRow(&found)
        case UInt8(ascii: "\r"): return
        default:
            field += [UInt8(ascii: "\""), byte]
            phase = .quoted
        }
    }

    private mutating func endField() {
        fields.append(field)
        field = []
        phase = .fieldStart
    }

    private mutating func lose() {
        (fields, field, raw) = ([], [], [])
        phase = .lost
    }

    private mutating func endRow(_ found: inout [RawRecord]) {
        let wasLost = isLost
        if field.last == UInt8(ascii: "\r") { field.removeLast() }
        endField()
        let row = fields
        fields = []
        if let columns, !wasLost, isSeveralRows(columns, count: row.count) {
            return takeLines(&found)
        }
        byteCount = 0
        raw.removeAll(keepingCapacity: true)
        guard !wasLost else { return found.append(.problem(TransferProblem(.tooLarge))) }
        guard row.contains(where: { !$0.isEmpty }) else { return }
        let texts = row.compactMap { String(validating: $0, as: UTF8.self) }
        found.append(texts.count == row.count ? .row(texts) : .problem(TransferProblem(.notText)))
    }
}
