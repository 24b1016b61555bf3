import TestSupport
import Testing

@testable import Server

/// `kidoban import` with files that are no good.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ImportCommandTests {
    @Test func `a report replaces an earlier one, and no other file, not even its source`() async throws {
        let (environment, directory) = (try TestEnvironment(), try TestDirectory())
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        let (source, report) = ("\(directory.path)/users.jsonl", "\(directory.path)/refused.jsonl")
        try TestFile.write("kept", to: report)
        let words = ["import", "jsonl", source, "--report", report]
        let missing = try await Kidoban.run(words, environment: environment.variables)
        #expect(missing.status != 0 && missing.output.contains("cannot be read"), "\(missing.output)")
        #expect(try TestFile.text(of: report) == "kept")
        try TestFile.write("nonsense\n", to: source)
        for path in [report, source] {
            let text = try TestFile.text(of: path)
            let refused = try await Kidoban.run(
                ["import", "jsonl", source, "--report", path], environment: environment.variables)
            #expect(refused.status == 64 && refused.output.contains("is no report of an import"), "\(refused.output)")
            #expect(try TestFile.text(of: path) == text)
        }
        let new = "\(directory.path)/new.jsonl"
        let taken = try await Kidoban.run(["import", "jsonl", source, "--report", new], environment: environment.variables)
        #expect(taken.status != 0, "\(taken.output)")
        let reported = try TestFile.text(of: new)
        #expect(reported.contains("malformed"))
        // The same command once more, as after a run that was killed.
        _ = try await Kidoban.run(["import", "jsonl", source, "--report", new], environment: environment.variables)
        #expect(try TestFile.text(of: new) == reported)
    }
}
