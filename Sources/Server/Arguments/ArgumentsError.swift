/// Why the arguments are no command.
package struct ArgumentsError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case noCommand
        case unknownCommand(String, nearest: String?)
        case unknownOption(String, nearest: String?)
        /// An argument too many.
        case unexpected(String)
        /// The name of the argument, as the usage has it.
        case missing(String)
        /// An option without its value.
        case missingValue(String)
        /// An option, that takes no value, with one.
        case needlessValue(String)
        case repeated(String)
        /// An option or argument, and what it accepts.
        case invalid(String, expected: String)
        /// A kind of audit event that there is not, and those that there are.
        case unknownKind(String, nearest: String?, known: [String])
        /// Two options that exclude each other.
        case contradiction(String, String)
    }

    package let problem: Problem
    /// What to read about it.
    package let topic: HelpTopic

    package var description: String {
        switch problem {
        case .noCommand: "a command is missing"
        case .unknownCommand(let name, let nearest): "unknown command \(Self.quoted(name))" + Self.suggestion(nearest)
        case .unknownOption(let name, let nearest): "unknown option \(Self.quoted(name))" + Self.suggestion(nearest)
        case .unexpected(let argument): "unexpected argument \(Self.quoted(argument))"
        case .missing(let argument): "\(argument) is missing"
        case .missingValue(let option): "\(option) needs a value"
        case .needlessValue(let option): "\(option) takes no value"
        case .repeated(let option): "\(option) is given twice"
        case .invalid(let name, let expected): "\(name) is not valid; expected \(expected)"
        case .unknownKind(let name, let nearest, let known):
            "there is no kind of event \(Self.quoted(name))"
                + (nearest.map { Self.suggestion($0) } ?? "; there are " + known.joined(separator: ", "))
        case .contradiction(let option, let other): "\(option) cannot go with \(other)"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.excerpt)\""
    }

    private static func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean \($0)?" } ?? ""
    }
}
