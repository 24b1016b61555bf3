/// Takes the arguments of one command apart: options with and without values, and the rest.
struct ArgumentScanner {
    /// An option that the command knows.
    struct Option {
        let name: String
        let takesValue: Bool
        var canRepeat = false
    }

    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]
    private let topic: HelpTopic

    /// `--name value` and `--name=value` are the same; after `--` nothing is an option.
    init(_ arguments: ArraySlice<String>, options: [Option], topic: HelpTopic) throws(ArgumentsError) {
        self.topic = topic
        var rest = arguments
        while let argument = rest.popFirst() {
            if argument == "--" {
                positional += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            try take(argument, options, &rest)
        }
    }

    private mutating func take(
        _ argument: String, _ options: [Option], _ rest: inout ArraySlice<String>
    ) throws(ArgumentsError) {
        let (name, given) = argument.splitAtEqualsSign
        // Only the name is repeated to the user: what follows it may be a secret that belongs elsewhere.
        guard let option = options.first(where: { $0.name == name }) else {
            let known = options.map(\.name) + ["--help"]
            throw failure(.unknownOption(name, nearest: NearestName.ofSimilar(name, among: known)))
        }
        guard values[option.name] == nil || option.canRepeat else { throw failure(.repeated(option.name)) }
        guard option.takesValue else {
            guard given == nil else { throw failure(.needlessValue(option.name)) }
            values[option.name] = []
            return
        }
        guard let value = given ?? rest.popFirst(), !value.isEmpty else {
            throw failure(.missingValue(option.name))
        }
        values[option.name, default: []].append(value)
    }

    func isGiven(_ option: String) -> Bool {
        values[option] != nil
    }

    func values(of option: String) -> [String] {
        values[option] ?? []
    }

    /// The value of an option, read; nil when it is not given.
    func value<Value>(of option: String, expected: String, _ read: (String) -> Value?) throws(ArgumentsError) -> Value? {
        guard let text = values[option]?.first else { return nil }
        guard let value = read(text) else { throw failure(.invalid(option, expected: expected)) }
        return value
    }

    /// Refuses more arguments than there are names for them, and gives those that were asked for.
    func positional(_ names: String...) throws(ArgumentsError) -> [String] {
        guard positional.count >= names.count else { throw failure(.missing(names[positional.count])) }
        guard positional.count == names.count else { throw failure(.unexpected(positional[names.count])) }
        return positional
    }

    func failure(_ problem: ArgumentsError.Problem) -> ArgumentsError {
        ArgumentsError(problem: problem, topic: topic)
    }
}

extension ArgumentScanner {
    func number(_ option: String, _ range: ClosedRange<Int>) throws(ArgumentsError) -> Int? {
        try value(of: option, expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), range.contains(number) else { return nil }
            return number
        }
    }
}
