import Networking
import Postgres
import Redis
import Testing

@testable import Server

@Suite struct SecretFileTests {
    private func problems(_ file: FileContents?) -> [ConfigurationProblem] {
        Sample.problems(
            ["KIDOBAN_MASTER_KEY_FILE": "/run/key"], files: Sample.files(file.map { ["/run/key": $0] } ?? [:]),
            masterKey: .required)
    }

    @Test(arguments: ["", "\n", "\r\n", "\n\n"])
    func `a secret is read from the file that is named, without the line end`(_ end: String) throws {
        let files = Sample.files(["/run/key": Sample.file(Sample.masterKey + end)])
        let environment = ["KIDOBAN_MASTER_KEY_FILE": "/run/key"]
        #expect(try Sample.read(environment, files: files).secrets.masterKey != nil)
        #expect(try Sample.shown("KIDOBAN_MASTER_KEY", environment, files: files) == "KIDOBAN_MASTER_KEY=‹redacted›  # file")
    }

    @Test func `addresses that hold a password can be in files too`() throws {
        let files = Sample.files([
            "/run/db": Sample.file("host=db.example.com password=x\n"), "/run/redis": Sample.file("redis://:x@cache.example.com"),
        ])
        let configuration = try Sample.read(["DATABASE_URL_FILE": "/run/db", "REDIS_URL_FILE": "/run/redis"], files: files)
        #expect(configuration.database.connectionString.target == "db.example.com/")
        #expect(configuration.redis.endpoint == .host("cache.example.com", port: 6379))
    }

    @Test(arguments: ["KIDOBAN_MASTER_KEY", "DATABASE_URL", "REDIS_URL"])
    func `a value and a file with the value exclude each other`(_ name: String) {
        let problems = Sample.problems([name: "x", name + "_FILE": "/run/secret"])
        #expect(problems == [ConfigurationProblem(name, .givenTwice, expected: "one of them")])
    }

    @Test func `a missing file is one problem, and not a missing key too`() {
        #expect(
            problems(nil).map(\.description) == [
                "KIDOBAN_MASTER_KEY_FILE names a file that does not exist; expected the path of a file"
            ])
    }

    @Test(arguments: [UInt32(0o644), 0o640, 0o604, 0o620, 0o602, 0o610, 0o777])
    func `a file that others can read or write is refused`(_ mode: UInt32) {
        for owner in [FileContents.Owner.thisUser, .other] {
            #expect(
                problems(Sample.file(Sample.masterKey, mode: mode, owner: owner)).map(\.description) == [
                    "KIDOBAN_MASTER_KEY_FILE names a file that others can read; expected one for its owner only (chmod 600)"
                ])
        }
    }

    @Test func `the message says which file it is, whose, and its mode`() {
        let place = FilePlace(path: "/run/secrets/key", mode: 0o644, owner: 1000)
        let file = FileContents(bytes: Array(Sample.masterKey.utf8), mode: 0o644, owner: .other, place: place)
        #expect(
            problems(file).map(\.description) == [
                "KIDOBAN_MASTER_KEY_FILE names a file that others can read: /run/secrets/key has mode 0644 and is of "
                    + "user 1000; expected one for its owner only (chmod 600)"
            ])
        #expect(
            FileFault.notPermitted(place).reason.hasSuffix("may not read: /run/secrets/key has mode 0644 and is of user 1000"))
    }

    @Test(arguments: [UInt32(0o600), 0o400, 0o700])
    func `a file for its owner only is accepted`(_ mode: UInt32) {
        for owner in [FileContents.Owner.thisUser, .root, .other] {
            #expect(problems(Sample.file(Sample.masterKey, mode: mode, owner: owner)).isEmpty)
        }
    }

    @Test(arguments: [(UInt32(0o440), true), (0o640, true), (0o660, false), (0o444, false), (0o641, false)])
    func `root may lend a file to our group, as containers are given their secrets`(_ mode: UInt32, _ isAccepted: Bool) {
        #expect(problems(Sample.file(Sample.masterKey, mode: mode, owner: .root)).isEmpty == isAccepted)
    }

    @Test func `a file that is empty or not text is refused`() {
        #expect(problems(Sample.file("\n")).map(\.reason) == [.refused("is empty")])
        let binary = FileContents(bytes: [0xFF, 0xFE, 0x00], mode: 0o600, owner: .thisUser)
        #expect(problems(binary).map(\.reason) == [.refused("names a file that is not text")])
    }

    @Test func `the authorities for Redis must be there, and may be public`() {
        let environment = ["REDIS_URL": "rediss://cache.example.com", "KIDOBAN_REDIS_CA_FILE": "/etc/ca.pem"]
        #expect(Sample.problems(environment).map(\.reason) == [.refused("names a file that does not exist")])
        let files = Sample.files(["/etc/ca.pem": Sample.file("authorities", mode: 0o644)])
        #expect(Sample.problems(environment, files: files).isEmpty)
    }
}
