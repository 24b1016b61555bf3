/// Everything that is wrong with a configuration, at once.
package struct ConfigurationProblems: Error, Equatable, Sendable, CustomStringConvertible {
    /// Never empty.
    package let problems: [ConfigurationProblem]

    /// One line for each problem.
    package var description: String {
        problems.map { "  \($0)\n" }.joined()
    }
}

/// One thing that is wrong with a configuration. It carries no value that was given, because it may be a secret.
package struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// There is no such setting.
        case unknown(nearest: String)
        case missing
        /// The value is given and a file with the value too.
        case givenTwice
        /// Of the form "is not a duration".
        case refused(String)
    }

    /// The variable that is wrong.
    package let name: String
    package let reason: Reason
    /// What would be right.
    package let expectation: String?
    /// Where in the file of settings it is, from 1; nil for what is elsewhere.
    package let line: Int?

    init(_ name: String, _ reason: Reason, expected expectation: String? = nil, line: Int? = nil) {
        self.line = line
        self.name = name
        self.reason = reason
        self.expectation = expectation
    }

    package var description: String {
        let expected = expectation.map { "; expected \($0)" } ?? ""
        let place = line.map { " (line \($0) of the settings file)" } ?? ""
        return "\(name.excerpt)\(place) \(verdict)\(expected)"
    }

    private var verdict: String {
        switch reason {
        case .unknown(let nearest): "is not a setting; the nearest is \(nearest)"
        case .missing: "is missing"
        case .givenTwice: "and \(name)_FILE are both given"
        case .refused(let reason): reason
        }
    }
}
