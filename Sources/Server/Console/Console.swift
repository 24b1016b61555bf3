import Glibc

/// Where a command prints: results to one side, complaints to the other; and where it asks.
package struct Console: Sendable {
    let input: ConsoleInput
    /// False when the text could not be written as a whole.
    private let writeOutput: @Sendable (String) -> Bool
    private let writeError: @Sendable (String) -> Void

    package init(
        output: @escaping @Sendable (String) -> Bool, error: @escaping @Sendable (String) -> Void, input: ConsoleInput = .none
    ) {
        self.input = input
        writeOutput = output
        writeError = error
    }

    /// The standard input, output and error of the process.
    package static let standard = Console(
        output: { write($0, to: STDOUT_FILENO) },
        error: { _ = write($0, to: STDERR_FILENO) }, input: .standard)

    /// Prints the result of a command.
    /// - Returns: how the process ends: a result that nobody gets is a failure.
    package func print(_ text: String) -> Int32 {
        guard !writeOutput(text) else { return ExitStatus.success }
        let reason = String(cString: strerror(errno))
        complain("the result could not be written: \(reason). If something was to be changed, it has been")
        return ExitStatus.failure
    }

    /// Says what went wrong.
    package func complain(_ text: String) {
        writeError("kidoban: \(text)\n")
    }

    /// Hands over a line that is for another program, beside the result.
    package func printAside(_ line: String) {
        writeError("\(line)\n")
    }

    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// How the process ends (the codes above 1 are those of `sysexits.h`).
package enum ExitStatus {
    package static let success: Int32 = 0
    /// Something went wrong that is neither of the following.
    package static let failure: Int32 = 1
    /// The arguments are wrong.
    package static let usage: Int32 = 64
    /// The configuration is wrong.
    package static let configuration: Int32 = 78
}

/// What runs.
package enum Version {
    /// Of the program, by Semantic Versioning.
    package static let text = "0.1.0"
    /// The language version of the compiler.
    #if compiler(>=6.4)
    package static let swift = "6.4 or newer"
    #else
    package static let swift = "6.3"
    #endif
}
