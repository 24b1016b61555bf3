import TestSupport
import Testing

@testable import Server

/// `kidoban import` with files that are no good.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ImportCommandTests {
    @Test func `a source that cannot be read leaves the report of an earlier run as it is`() async throws {
        let (environment, directory) = (try TestEnvironment(), try TestDirectory())
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        let (source, report) = ("\(directory.path)/users.jsonl", "\(directory.path)/refused.jsonl")
        try TestFile.write("kept", to: report)
        let words = ["import", "jsonl", source, "--report", report]
        let missing = try await Kidoban.run(words, environment: environment.variables)
        #expect(missing.status != 0 && missing.output.contains("cannot be read"), "\(missing.output)")
        #expect(try TestFile.text(of: report) == "kept")
        try TestFile.write("nonsense\n", to: source)
        let refused = try await Kidoban.run(words, environment: environment.variables)
        #expect(refused.status != 0, "\(refused.output)")
        #expect(try TestFile.text(of: report).contains("malformed"))
    }
}
