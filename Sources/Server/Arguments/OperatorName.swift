import Glibc
import Text

/// Who is at the command line, as the audit events of commands name them: what `--operator` says, or the user of the system, also behind
/// `sudo`. It is what somebody says of themselves, and no proof.
enum OperatorName {
    static let option = "--operator"
    static let expectation = "1 to 64 characters without spaces, quotes and invisible ones"

    /// Nil for what is no name.
    static func checked(_ text: String) -> String? {
        let isWhole = !text.unicodeScalars.contains { $0.properties.isWhitespace }
        return (1...64).contains(text.unicodeScalars.count) && isWhole && text == text.printable ? text : nil
    }

    /// Takes the option out of the arguments of a command; not of one that asks for an operator's events by the same name.
    /// - Throws: `ArgumentsError` when there is no name in it.
    static func taken(
        from arguments: [String], environment: [String: String]
    ) throws(ArgumentsError) -> (rest: [String], name: String?) {
        // A container and cron tell no name.
        let standard =
            ["SUDO_USER", "USER", "LOGNAME"].lazy.compactMap { environment[$0].flatMap(checked) }.first ?? "uid-\(getuid())"
        guard arguments.first != "audit" else { return (arguments, standard) }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard let place = arguments[..<end].firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else {
            return (arguments, standard)
        }
        var rest = arguments
        let (_, given) = rest.remove(at: place).splitAtEqualsSign
        let value = given ?? (place < end - 1 ? rest.remove(at: place) : nil)
        guard let value else { throw ArgumentsError(problem: .missingValue(option), topic: .program) }
        guard let name = checked(value) else {
            throw ArgumentsError(problem: .invalid(option, expected: expectation), topic: .program)
        }
        return (rest, name)
    }
}
