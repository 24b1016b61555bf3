import Identity
import Logging
import Testing

@testable import Server

@Suite struct SettingsFileTests {
    private static let path = "/etc/kidoban/kidoban.env"

    private func value(_ line: String) -> String? {
        SettingsFile(Sample.file("NAME=\(line)\n")).entries["NAME"]?.text
    }

    private func problems(_ text: String) -> [String] {
        SettingsFile(Sample.file(text)).problems.map(\.description)
    }

    private static func files(_ text: String, mode: UInt32 = 0o600) -> FileReader {
        Sample.files([path: Sample.file(text, mode: mode), "/key": Sample.file(Sample.masterKey)])
    }

    private func read(
        _ text: String, _ environment: [String: String] = [:], mode: UInt32 = 0o600
    ) throws -> ConfigurationReading {
        let environment = environment.merging([SettingsFile.setting: Self.path]) { $1 }
        return try Configuration.read(environment: environment, files: Self.files(text, mode: mode), masterKey: .optional)
    }

    private func refusals(_ text: String, _ environment: [String: String] = [:], mode: UInt32 = 0o600) -> [String] {
        let environment = environment.merging([SettingsFile.setting: Self.path]) { $1 }
        return Sample.problems(environment, files: Self.files(text, mode: mode)).map(\.description)
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("a b", "a b"), ("a \t", "a"), ("a=b", "a=b"), ("a'b\"c", "a'b\"c"), ("a#b", "a#b"),
        ("$HOME", "$HOME"),
        ("'a'", "a"), ("''", ""), ("' a # \\ \" '", " a # \\ \" "), ("'a' \t", "a"), (#""a""#, "a"), (#""""#, ""),
        (#""\"\\\$\` 'x' # ""#, #""\$` 'x' # "#), ("木戸番", "木戸番"), ("'木'", "木"),
    ])
    func `a value is what is written`(_ written: String, _ value: String) {
        #expect(self.value(written) == value)
        // A carriage return belongs to the end of the line.
        #expect(self.value(written + "\r") == value)
    }

    @Test(arguments: [
        " a", "\ta", #"a\b"#, #"a\"#, "a #b", "a # b", "'a", "'", #"""#, #""a"#, #""a\""#, #""a\n""#, #""\"#, "'a'b", "'a' 'b'",
        #""a"b"#,
    ])
    func `what systemd and Docker would take for two things is refused`(_ written: String) {
        #expect(value(written) == nil)
        #expect(problems("NAME=\(written)").count == 1)
        #expect(!problems("NAME=canary\(written)").joined().contains("canary"))
    }

    @Test func `lines that say nothing are passed over, and the others have numbers`() {
        let file = SettingsFile(Sample.file("# a comment\r\n\n  \t\n  # another\nA=1\r\n\nB='2'"))
        #expect(file.problems.isEmpty)
        #expect(file.entries == ["A": .init(text: "1", line: 5), "B": .init(text: "2", line: 7)])
        #expect(SettingsFile(Sample.file("")).entries.isEmpty)
    }

    @Test(arguments: ["export A=1", "a=1", "1A=1", "A =1", " A=1", "=1", "A-B=1", "Ä=1", "A", "A 1", "; comment"])
    func `a line without a name or without a value is refused`(_ line: String) {
        let found = problems("B=2\n\(line)\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("KIDOBAN_SETTINGS_FILE (line 2 of the settings file) has ") == true)
    }

    @Test func `a file that is not text is refused`() {
        for bytes in [[0x41, 0x3D, 0xFF], [0x41, 0x3D, 0x00]] as [[UInt8]] {
            let file = SettingsFile(FileContents(bytes: bytes, mode: 0o600, owner: .thisUser))
            #expect(file.problems.map(\.name) == [SettingsFile.setting])
        }
    }

    @Test func `every prefix of a file is read or refused`() {
        let text = Array("# c\nA=1\r\nB=\"x\\\"y\"\nC='z' \n".utf8)
        for length in 0...text.count {
            let file = SettingsFile(FileContents(bytes: Array(text[..<length]), mode: 0o600, owner: .thisUser))
            #expect(file.entries.count <= 3)
        }
    }

    @Test func `the environment goes before the file, and config says where a value is from`() throws {
        let reading = try read(
            "KIDOBAN_LOOPS=3\nKIDOBAN_DRAIN_DELAY=7s\nKIDOBAN_MASTER_KEY_FILE=/missing\n",
            ["KIDOBAN_LOOPS": "2", "KIDOBAN_MASTER_KEY": Sample.masterKey])
        #expect(reading.configuration.loops == 2)
        #expect(reading.configuration.lifecycle.drainDelay == .seconds(7))
        #expect(reading.configuration.secrets.masterKey != nil)
        let lines = ConfigurationListing.lines(of: reading).split(separator: "\n")
        #expect(lines.contains("KIDOBAN_LOOPS=2  # environment"))
        #expect(lines.contains("KIDOBAN_DRAIN_DELAY=7s  # settings file"))
        #expect(lines.contains("KIDOBAN_MASTER_KEY=‹redacted›  # environment"))
        #expect(lines.contains("KIDOBAN_SETTINGS_FILE=\(Self.path)  # environment"))
    }

    @Test func `a file can name the file of a secret, and providers of one's own`() throws {
        let reading = try read(
            "KIDOBAN_MASTER_KEY_FILE=/key\nKIDOBAN_PROVIDERS=corp\nKIDOBAN_PROVIDER_CORP_CLIENT_IDS=a\n"
                + "KIDOBAN_PROVIDER_CORP_ISSUERS=https://c.example\nKIDOBAN_PROVIDER_CORP_JWKS_URL=https://c.example/k\n",
            mode: 0o644)
        #expect(reading.configuration.secrets.masterKey != nil)
        #expect(reading.configuration.federation.providers.map(\.id.text) == ["corp"])
    }

    @Test func `all that is wrong is listed, with the lines`() {
        let found = refusals(
            "KIDOBAN_LOG_LEVLE=debug\nKIDOBAN_LOOPS=many\nPATH=/bin\nKIDOBAN_LOOPS=1\nnonsense\nKIDOBAN_SETTINGS_FILE=/x\n",
            ["KIDOBAN_DRAIN_DELAY": "soon"])
        let begins = [
            "KIDOBAN_LOG_LEVLE (line 1 of the settings file) is not a setting; the nearest is KIDOBAN_LOG_LEVEL",
            "PATH (line 3 of the settings file) is not a setting",
            "KIDOBAN_LOOPS (line 2 of the settings file) is not a whole number",
            "KIDOBAN_LOOPS (line 4 of the settings file) is given twice, first in line 2",
            "KIDOBAN_SETTINGS_FILE (line 5 of the settings file) has no =",
            "KIDOBAN_SETTINGS_FILE (line 6 of the settings file) is in the very file that it names",
            "KIDOBAN_DRAIN_DELAY is ",
        ]
        #expect(found.count == begins.count)
        for begin in begins { #expect(found.contains { $0.hasPrefix(begin) }, "\(begin)") }
    }

    @Test func `a secret in a file that others can read is refused`() {
        let found = refusals("KIDOBAN_MASTER_KEY=\(Sample.masterKey)\n", mode: 0o640)
        #expect(found.count == 1)
        #expect(found.first?.contains("is a secret in a file that others can read") == true)
        #expect(refusals("KIDOBAN_MASTER_KEY=\(Sample.masterKey)\n").isEmpty)
        #expect(refusals("KIDOBAN_LOOPS=1\n", mode: 0o644).isEmpty)
    }

    @Test func `a file that is not there is a problem`() {
        let problems = Sample.problems([SettingsFile.setting: "/nowhere"])
        #expect(problems.map(\.name) == [SettingsFile.setting])
    }

    @Test func `what changes is told by name, secrets too, and another spelling is no change`() throws {
        let old = try read("KIDOBAN_LOG_LEVEL=info\nKIDOBAN_DRAIN_DELAY=60s\nREDIS_URL=redis://:one@h\nKIDOBAN_LOOPS=1\n")
        let new = try read("KIDOBAN_DRAIN_DELAY=1m\nREDIS_URL=redis://:two@h\nKIDOBAN_LOOPS=2\nKIDOBAN_LOG_LEVEL=debug\n")
        #expect(new.changes(since: old).map(\.name) == ["REDIS_URL", "KIDOBAN_LOOPS", "KIDOBAN_LOG_LEVEL"])
        #expect(old.changes(since: old).isEmpty)
        let applied = new.applied(to: old.configuration)
        #expect(applied.logging.level == .debug)
        #expect(applied.loops == 1)
    }

    @Test func `a provider that is no longer named is gone, and so are its settings`() throws {
        let settings = "KIDOBAN_PROVIDERS=corp\nKIDOBAN_PROVIDER_CORP_CLIENT_IDS=a\nKIDOBAN_PROVIDER_CORP_ISSUERS=i\n"
        let old = try read(settings + "KIDOBAN_PROVIDER_CORP_JWKS_URL=https://c.example/k\nKIDOBAN_APPLE_CLIENT_IDS=x\n")
        let new = try read("KIDOBAN_GOOGLE_CLIENT_IDS=y\n")
        let names = new.changes(since: old).map(\.name)
        #expect(names.starts(with: ["KIDOBAN_APPLE_CLIENT_IDS", "KIDOBAN_GOOGLE_CLIENT_IDS", "KIDOBAN_PROVIDERS"]))
        #expect(names.contains("KIDOBAN_PROVIDER_CORP_JWKS_URL"))
        #expect(new.applied(to: old.configuration).federation.providers.map(\.id.text) == ["google"])
        #expect(old.applied(to: new.configuration).federation.providers == old.configuration.federation.providers)
    }
}
