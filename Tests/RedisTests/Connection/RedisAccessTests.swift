import Glibc
import Logging
import TestSupport
import Testing

@testable import Redis

@Suite("RedisConnection's way in", .needsOwnServer, .timeLimit(.minutes(5)))
struct RedisAccessTests {
    @Test(arguments: ["redis://:secret@", "redis://default:secret@", "redis://alice:p%40ss%20word@"])
    func `the right credentials are let in`(credentials: String) async throws {
        let server = try TestRedis(Self.protected)
        let configuration = try #require(RedisConfiguration(url: "\(credentials)127.0.0.1:\(server.port)/0")).patient
        try await withReadyConnection(configuration) { #expect(await $0.failureOfPing() == nil) }
    }

    @Test(arguments: [
        ("redis://", "NOAUTH"), ("redis://:wrong-one@", "WRONGPASS"), ("redis://alice:secret@", "WRONGPASS"),
        ("redis://nobody:secret@", "WRONGPASS"),
    ])
    func `wrong credentials are not, and the log says so without them`(credentials: String, kind: String) async throws {
        let server = try TestRedis(Self.protected)
        let configuration = try #require(RedisConfiguration(url: "\(credentials)127.0.0.1:\(server.port)/0")).patient
        let log = try await logOfRefusal(configuration)
        #expect(log.contains(kind))
        #expect(!log.contains("wrong-one") && !log.contains("secret"))
    }

    @Test func `a database is chosen, and one that does not exist is refused`() async throws {
        let server = try TestRedis()
        var configuration = server.configuration
        configuration.database = 3
        try await withReadyConnection(configuration) { other async throws in
            try await withReadyConnection(server.configuration) { first async throws in
                #expect(try await other.reply(toGetAfterSetting: "key", to: [1]) == .bytes([1]))
                #expect(try await first.get("key") == nil)
            }
        }
        configuration.database = 99
        #expect(try await logOfRefusal(configuration).contains("ERR"))
    }

    @Test func `a Unix socket leads there, too`() async throws {
        let server = try TestRedis()
        let configuration = try #require(RedisConfiguration(url: "unix://\(server.socketPath)?db=1")).patient
        try await withReadyConnection(configuration) { redis async throws in
            #expect(try await redis.reply(toGetAfterSetting: "key", to: [1]) == .bytes([1]))
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `TLS with a trusted certificate for the right name works`(host: String) async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: ["DNS:localhost", "IP:127.0.0.1"], in: directory)
        let server = try TestRedis(certificate: certificate)
        var configuration = RedisConfiguration(endpoint: .host(host, port: server.portTLS), usesTLS: true).patient
        configuration.authoritiesFile = certificate.authorityPath
        try await withReadyConnection(configuration) { redis async throws in
            let value = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(try await redis.reply(toGetAfterSetting: "key", to: value) == .bytes(value))
            #expect(try await redis.mismatches(of: (0..<1000).map { "value \($0)" }) == 0)
        }
    }

    @Test(arguments: [
        (["DNS:localhost"], "127.0.0.1"), (["IP:127.0.0.1"], "localhost"),
        (["DNS:localhost.example", "IP:127.0.0.2"], "localhost"),
    ])
    func `a trusted certificate for another name is refused`(names: [String], host: String) async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: names, in: directory)
        let server = try TestRedis(certificate: certificate)
        var configuration = RedisConfiguration(endpoint: .host(host, port: server.portTLS), usesTLS: true).patient
        configuration.authoritiesFile = certificate.authorityPath
        #expect(try await logOfRefusal(configuration).contains("mismatch"))
    }

    @Test(arguments: [true, false])
    func `a certificate of an unknown authority is refused`(trustsAnother: Bool) async throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(names: ["DNS:localhost"], in: directory)
        let other = try TestCertificate(names: ["DNS:localhost"], in: directory)
        let server = try TestRedis(certificate: certificate)
        var configuration = RedisConfiguration(endpoint: .host("localhost", port: server.portTLS), usesTLS: true).patient
        configuration.authoritiesFile = trustsAnother ? other.authorityPath : nil
        #expect(try await logOfRefusal(configuration).contains("unable to get local issuer certificate"))
    }

    @Test func `a server that does not speak TLS is refused, and so is a file without certificates`() async throws {
        let server = try TestRedis()
        var configuration = RedisConfiguration(endpoint: .host("localhost", port: server.port), usesTLS: true)
        configuration.connectTimeout = .milliseconds(200)
        #expect(try await !logOfRefusal(configuration).isEmpty)
        configuration.authoritiesFile = "/dev/null"
        #expect(try await logOfRefusal(configuration).contains("no certificate authorities"))
    }

    private static let protected = [
        "--requirepass", "secret", "--user", "alice", "on", ">p@ss word", "~*", "+@all",
    ]

    /// Expects that no connection comes about and no command is carried out, and returns what is logged meanwhile.
    private func logOfRefusal(_ configuration: RedisConfiguration) async throws -> String {
        let directory = try TestDirectory()
        let path = "\(directory.path)/captured"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let sink = try LogSink(descriptor: descriptor, format: .json)
        return try await withConnection(configuration, logger: Logger(sink: sink)) { redis in
            var log = ""
            try await eventually {
                sink.flush(timeout: .seconds(60))
                log = try contents(of: path)
                return log.contains("Redis cannot be reached")
            }
            #expect(await redis.failureOfPing() == .unavailable)
            #expect(await !redis.isReady)
            await redis.close()
            // Nothing is written to the descriptor once it is closed.
            sink.flush(timeout: .seconds(60))
            return log
        }
    }
}

/// A file of at most a megabyte.
private func contents(of path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    return String(decoding: bytes, as: UTF8.self)
}
