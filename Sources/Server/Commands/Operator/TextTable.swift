import Text

/// Rows of text under each other, for a terminal: what comes from users cannot move its cursor.
enum TextTable {
    private static let gap = "  "

    /// - Parameter header: the names of the columns.
    static func render(_ header: [String], _ rows: [[String]]) -> String {
        let rows = ([header] + rows).map { $0.map(\.printable) }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
            return cells.joined(separator: gap).trimmedAtEnd + "\n"
        }.joined()
    }

    /// Names and values, one pair a line.
    static func render(_ pairs: [(String, String)]) -> String {
        let width = pairs.map(\.0.count).max() ?? 0
        return pairs.map { name, value in
            (name + String(repeating: " ", count: width - name.count) + gap + value.printable).trimmedAtEnd + "\n"
        }.joined()
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension Timestamp {
    /// To the second, in UTC.
    var brief: String {
        Timestamp(seconds: seconds).iso8601.replacing(".000Z", with: "Z")
    }
}

extension JSONObject {
    /// On one line, ending in a line feed, and harmless for a terminal.
    var line: String {
        var writer = JSONWriter(escaping: .readable)
        writer.object(self)
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
