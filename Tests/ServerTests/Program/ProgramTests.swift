import Testing

@testable import Server

@Suite struct ProgramTests {
    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async -> (status: Int32, printed: Printed) {
        let printed = Printed()
        let status = await Program.run(
            arguments: arguments, environment: environment, files: Sample.noFiles, console: printed.console)
        return (status, printed)
    }

    @Test(arguments: [
        ["--help"], ["help"], ["serve", "--help"], ["help", "client", "add"], ["--version"], ["config", "--markdown"],
        ["config", "--texts", "en"],
    ])
    func `what needs no configuration works with a wrong one`(_ arguments: [String]) async {
        let (status, printed) = await run(arguments, ["KIDOBAN_LOOPS": "wrong"])
        #expect(status == ExitStatus.success)
        #expect(!printed.output.isEmpty)
        #expect(printed.error.isEmpty)
    }

    @Test func `wrong arguments end with 64 and say what to read`() async {
        let (status, printed) = await run(["client", "ad", "x"], ["KIDOBAN_LOOPS": "wrong"])
        #expect(status == 64)
        #expect(printed.output.isEmpty)
        #expect(
            printed.error == """
                kidoban: unknown command "ad"; did you mean add?
                Usage: kidoban client <command> [--help]
                See `kidoban client --help`.

                """)
    }

    @Test(arguments: [["serve"], ["migrate"], ["client", "list"], ["config"]])
    func `a wrong configuration ends with 78, with all that is wrong`(_ arguments: [String]) async {
        let (status, printed) = await run(arguments, ["KIDOBAN_LOOPS": "wrong", "KIDOBAN_LISTN": "x"])
        #expect(status == 78)
        #expect(printed.output.isEmpty)
        #expect(printed.error.hasPrefix("kidoban: the configuration is wrong:\n  KIDOBAN_LISTN is not a setting"))
        #expect(printed.error.contains("\n  KIDOBAN_LOOPS is not a whole number"))
        #expect(printed.error.contains("KIDOBAN_MASTER_KEY") == (arguments == ["serve"]))
    }

    @Test func `a health check needs to know where to ask, and nothing else`() async {
        let wrong = ["KIDOBAN_LOOPS": "wrong", "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:1"]
        #expect(await run(["health"], wrong).0 == 1)
        let (status, printed) = await run(["health"], ["KIDOBAN_OPERATIONS_LISTEN": "nowhere"])
        #expect(status == 78 && printed.error.contains("\n  KIDOBAN_OPERATIONS_LISTEN "))
    }

    @Test func `config prints every setting once, with its origin`() async {
        let (status, printed) = await run(["config"], ["KIDOBAN_LOOPS": "2"])
        #expect(status == 0)
        let lines = printed.output.split(separator: "\n")
        #expect(lines.map { $0.prefix { $0 != "=" } } == Settings.all.map { $0.name[...] })
        #expect(lines.contains("KIDOBAN_LOOPS=2  # environment"))
        #expect(lines.contains("KIDOBAN_LISTEN=0.0.0.0:8080  # default"))
        #expect(lines.contains("KIDOBAN_AUDIENCE=http://localhost:8080  # default: the issuer"))
        #expect(lines.contains("KIDOBAN_MASTER_KEY=  # default: none; `kidoban serve` needs one"))
    }

    @Test func `a result that cannot be written is a failure`() async {
        let status = await Program.run(
            arguments: ["config"], environment: [:], files: Sample.noFiles, console: Printed(isBroken: true).console)
        #expect(status == ExitStatus.failure)
    }

    @Test func `the environment of the process can be read`() {
        #expect(ProcessEnvironment.read()["PATH"] != nil)
    }
}
