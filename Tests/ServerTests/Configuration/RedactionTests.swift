import Testing

@testable import Server

/// Wherever a secret is put, rightly or by mistake, nothing that is printed shows it.
@Suite struct RedactionTests {
    private static let canary = "CANARYcanary0123456789"

    @Test(arguments: [
        ("postgresql://u:\(canary)@h/d", "postgresql://u:‹redacted›@h/d"),
        ("postgres://u:\(canary):\(canary)@h1:1,h2:2/d", "postgres://u:‹redacted›@h1:1,h2:2/d"),
        ("postgresql://u@h/d?password=\(canary)&sslmode=require", "postgresql://u@h/d?password=‹redacted›&sslmode=require"),
        ("postgresql://h?password=\(canary)", "postgresql://h?password=‹redacted›"),
        ("postgresql://h/d?pass%77ord=\(canary)", "postgresql://h/d?pass%77ord=‹redacted›"),
        ("postgresql://h/d?options=-c%20x%3D\(canary)&user=u", "postgresql://h/d?options=‹redacted›&user=u"),
        ("postgresql://u:\(canary)@[::1]:5432/d", "postgresql://u:‹redacted›@[::1]:5432/d"),
        ("postgresql:///d?host=/run/postgresql", "postgresql:///d?host=/run/postgresql"),
        ("host=h password=\(canary) user=u", "host=h password=‹redacted› user=u"),
        ("password = \(canary) host=h", "password=‹redacted› host=h"),
        ("password='\(canary) host=\(canary)' host='h h'", "password=‹redacted› host='h h'"),
        (#"password='a\' host=\#(canary)' user=u"#, "password=‹redacted› user=u"),
        (#"password=a\ host=\#(canary) user=u"#, "password=‹redacted› user=u"),
        ("sslpassword=\(canary)\thost=h", "sslpassword=‹redacted› host=h"),
        ("host=h password='\(canary)'user=u", "‹redacted›"),
        ("host=é password=\(canary)", "‹redacted›"),
    ])
    func `a password in a connection string is redacted`(_ text: String, _ shown: String) throws {
        #expect(try Sample.shown("DATABASE_URL", ["DATABASE_URL": text]) == "DATABASE_URL=\(shown)  # environment")
    }

    @Test(arguments: [
        "postgresql://u:\(canary)@\(canary)@h/d", "postgresql://u:a/\(canary)@h/d", "postgresql://u:a?\(canary)@h/d",
        "postgresql://u:\(canary)/d", "postgresql://u:\(canary)", "postgresql://u:é\(canary)@h/d",
        "postgresql://h/d?user=a@b&password=\(canary)", "postgresql://u:1?\(canary)=x/y@h/d", "postgresql://u: \(canary)@h/d",
        "host=h password", "mysql://u:\(canary)@h/d", canary, "password=\(canary) \(canary)",
    ])
    func `a connection string that could be misread is refused, and not quoted`(_ text: String) {
        let problems = Sample.problems(["DATABASE_URL": text])
        #expect(problems.map(\.name) == ["DATABASE_URL"])
        #expect(!problems.description.contains(Self.canary))
    }

    @Test(arguments: [
        ("redis://:\(canary)@h", "redis://:‹redacted›@h:6379"), ("rediss://u:\(canary)@h:1/2", "rediss://u:‹redacted›@h:1/2"),
        ("redis://:a%40\(canary)@h", "redis://:‹redacted›@h:6379"), ("redis://:a@\(canary)@h", "redis://:‹redacted›@h:6379"),
    ])
    func `a password in the URL of Redis is redacted`(_ text: String, _ shown: String) throws {
        #expect(try Sample.shown("REDIS_URL", ["REDIS_URL": text]) == "REDIS_URL=\(shown)  # environment")
    }

    @Test(arguments: [
        "redis://\(canary)@h", "redis://:a/\(canary)@h", "redis://h?password=\(canary)", "redis://h/0?password=\(canary)",
        "redis://u:\(canary)", "redis://h:1/\(canary)", "unix:///s?password=\(canary)", "\(canary)@h:6379",
    ])
    func `a URL of Redis that could be misread is refused, and not quoted`(_ text: String) {
        let problems = Sample.problems(["REDIS_URL": text])
        #expect(problems.map(\.name) == ["REDIS_URL"])
        #expect(!problems.description.contains(Self.canary))
    }

    @Test(arguments: Settings.names.sorted() + ["KIDOBAN_MASTERKEY", "KIDOBAN_SECRET", "KIDOBAN_MASTER_KEY_FIL"])
    func `no problem quotes a value, whichever variable it was put into`(_ name: String) {
        for value in [Self.canary, "/\(Self.canary)", "x:\(Self.canary)@y", "\(Self.canary)é\u{1B}"] {
            #expect(!Sample.problems([name: value], masterKey: .required).description.contains(Self.canary))
        }
    }

    @Test func `nothing that is printed holds a secret`() async throws {
        let key = Sample.masterKey
        let environment = [
            "KIDOBAN_MASTER_KEY": key, "DATABASE_URL": "postgresql://u:\(Self.canary)@h/d",
            "REDIS_URL": "redis://:\(Self.canary)@h",
        ]
        let printed = Printed()
        _ = await Program.run(arguments: ["config"], environment: environment, files: Sample.noFiles, console: printed.console)
        let reading = try Configuration.read(environment: environment, files: Sample.noFiles, masterKey: .required)
        var dumped = ""
        dump(reading.configuration, to: &dumped)
        dump(reading, to: &dumped)
        for text in [printed.output, dumped, "\(reading.configuration)", String(reflecting: reading)] {
            #expect(!text.isEmpty)
            #expect(!text.contains(Self.canary))
            #expect(!text.contains(key))
        }
        #expect(printed.output.contains("u:‹redacted›@h/d"))
    }

    @Test func `a value cannot move the cursor of who reads it`() throws {
        let shown = try Sample.shown("DATABASE_URL", ["DATABASE_URL": "host=h dbname='\u{1B}[2J\n\u{7F}'"])
        #expect(shown == #"DATABASE_URL=host=h dbname='\u001b[2J\n\u007f'  # environment"#)
    }
}
