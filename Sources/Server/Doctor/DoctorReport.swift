import Text

/// All findings, in the order of the checks, for people and for machines.
struct DoctorReport: Sendable {
    let findings: [Finding]

    var hasProblem: Bool { findings.contains(where: \.isProblem) }

    /// Aligned columns: the result, the name and what was found; below it what to do.
    var text: String {
        let width = findings.map(\.name.count).max() ?? 0
        let lines = findings.map { finding in
            let word = Self.padded(finding.result.word, to: "problem".count)
            let line = "\(word)  \(Self.padded(finding.name, to: width))  \(Self.line(finding.detail))\n"
            guard let remedy = finding.result.remedy else { return line }
            return line + String(repeating: " ", count: "problem".count + width + 4) + "-> \(Self.line(remedy))\n"
        }
        return lines.joined() + "\n\(summary)\n"
    }

    /// One object: `ok`, `version`, and `checks` with `name`, `result`, `detail` and, where there is something to do, `remedy`.
    var json: String {
        let checks = findings.map { finding in
            var object = JSONObject()
            object["name"] = .string(finding.name)
            object["result"] = .string(finding.result.word)
            object["detail"] = .string(finding.detail)
            if let remedy = finding.result.remedy { object["remedy"] = .string(remedy) }
            return JSONValue.object(object)
        }
        let document: JSONValue = [
            "ok": .bool(!hasProblem), "version": .string(Version.text), "checks": .array(checks),
        ]
        return String(decoding: document.indented, as: UTF8.self)
    }

    private var summary: String {
        func count(_ word: String) -> Int { findings.count { $0.result.word == word } }
        let problems = count("problem")
        let head = problems == 0 ? "No problem" : problems == 1 ? "1 problem" : "\(problems) problems"
        return "\(head), \(count("advice")) to think about, \(count("skipped")) not checked."
    }

    /// Words of libraries come with line ends and tabs of their own.
    private static func line(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(words.map { $0 == "\"" ? "'" : $0 }).printable
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// How `kidoban doctor` prints what it has found.
package enum DoctorOutput: Equatable, Sendable {
    /// For people.
    case text
    /// For machines.
    case json
}
