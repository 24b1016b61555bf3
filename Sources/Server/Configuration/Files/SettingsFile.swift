/// A file of settings, `NAME=value` on each line. What it means here it means to systemd (`EnvironmentFile=`) and to Docker
/// (`--env-file`) as well; where they differ a line is refused.
///
/// - Lines end in LF or CR LF. Blank lines and those that begin with `#` say nothing.
/// - A name is made of capital letters, digits and underscores, and stands once. No blank is before or after the `=`.
/// - A value without quotes is what follows the `=`, without the blanks at its end. It has no backslash, and no `#` after a blank.
/// - `'…'` is what it holds, and holds no `'`. In `"…"`, `\"`, `\\`, `\$` and `` \` `` stand for the second character; there is no
///   other use of `\`, and `$` has no meaning. After the closing quote come blanks only.
struct SettingsFile: Sendable {
    struct Entry: Equatable, Sendable {
        let text: String
        /// From 1.
        let line: Int
    }

    static let setting = "KIDOBAN_SETTINGS_FILE"

    private(set) var entries: [String: Entry] = [:]
    private(set) var problems: [ConfigurationProblem] = []
    /// Whether it may hold secrets.
    let isPrivate: Bool
    let place: FilePlace?

    /// There is none.
    init() {
        isPrivate = true
        place = nil
    }

    init(_ contents: FileContents) {
        isPrivate = contents.isPrivate
        place = contents.place
        guard let text = String(validating: contents.bytes, as: UTF8.self), !contents.bytes.contains(0) else {
            refuse("names a file that is not text")
            return
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() { read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, index + 1) }
    }

    private mutating func read(_ line: Substring.UTF8View, _ number: Int) {
        guard let first = line.first(where: { !$0.isBlank }), first != UInt8(ascii: "#") else { return }
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return refuse("has no =", number) }
        guard let name = String(Substring(line[..<sign])).settingName else {
            return refuse("has something else than a name before the =", number)
        }
        do throws(SettingRefusal) {
            let text = try Self.value(line[line.index(after: sign)...])
            if let earlier = entries[name] {
                problems.append(
                    ConfigurationProblem(name, .refused("is given twice, first in line \(earlier.line)"), line: number))
            } else {
                entries[name] = Entry(text: text, line: number)
            }
        } catch {
            problems.append(ConfigurationProblem(name, .refused(error.reason), line: number))
        }
    }

    private static func value(_ bytes: Substring.UTF8View) throws(SettingRefusal) -> String {
        switch bytes.first {
        case UInt8(ascii: "'"): return try quoted(bytes, by: UInt8(ascii: "'"))
        case UInt8(ascii: "\""): return try quoted(bytes, by: UInt8(ascii: "\""))
        case .some(let byte) where byte.isBlank: throw SettingRefusal("has a blank after the =")
        default: break
        }
        var isAfterBlank = false
        for byte in bytes {
            guard byte != UInt8(ascii: "\\") else { throw SettingRefusal("has a backslash outside of quotes") }
            guard byte != UInt8(ascii: "#") || !isAfterBlank else {
                throw SettingRefusal("has a # after a blank outside of quotes")
            }
            isAfterBlank = byte.isBlank
        }
        let end = bytes.lastIndex { !$0.isBlank }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(Substring(bytes[..<end]))
    }

    private static func quoted(_ bytes: Substring.UTF8View, by quote: UInt8) throws(SettingRefusal) -> String {
        var value: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.allSatisfy(\.isBlank) else { throw SettingRefusal("has something after the closing quote") }
                return String(decoding: value, as: UTF8.self)
            }
            guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
                value.append(byte)
                continue
            }
            guard let escaped = rest.popFirst(), "\"\\$`".utf8.contains(escaped) else {
                throw SettingRefusal("has a backslash before something that needs none")
            }
            value.append(escaped)
        }
        throw SettingRefusal("has no closing quote")
    }

    private mutating func refuse(_ reason: String, _ line: Int? = nil) {
        problems.append(ConfigurationProblem(Self.setting, .refused(reason), line: line))
    }
}

extension String {
    /// Itself, if it can be the name of a setting.
    fileprivate var settingName: String? {
        let isName = utf8.allSatisfy { (0x41...0x5A).contains($0) || $0.isDigit || $0 == UInt8(ascii: "_") }
        return isName && utf8.first.map { !$0.isDigit } ?? false ? self : nil
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool {
        self == 0x20 || self == 0x09
    }
}
