import Glibc
import TestSupport

/// The program, built beside these tests, run with nothing in its environment but what a test puts there.
enum Kidoban {
    struct Outcome {
        let status: Int32
        /// Both of its outputs.
        let output: String
    }

    static let masterKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

    /// Nil when it has not been built.
    static let path: String? = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
        let tests = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = tests.lastIndex(of: "/") else { return nil }
        let path = tests[..<slash] + "/kidoban"
        return access(String(path), X_OK) == 0 ? String(path) : nil
    }()

    /// Runs it to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await run(arguments, environment: environment, input: input)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        let path = path ?? ""
        return try await onThread {
            let directory = try TestDirectory()
            let output = "\(directory.path)/output"
            try TestFile.write(input, to: "\(directory.path)/input")
            let process = try ChildProcess(
                path, arguments, environment: environment, inputPath: "\(directory.path)/input", outputPath: output)
            let status = process.waitForExit()
            return Outcome(status: status, output: try TestFile.text(of: output))
        }
    }
}
