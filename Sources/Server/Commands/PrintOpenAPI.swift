import Crypto
import Logging
import Routing
import Identity
import Networking
import Text

/// `kidoban openapi`: prints the document of what `kidoban serve` would offer with the same settings. A loop's parts are put together
/// for it, and nothing is started.
enum PrintOpenAPI {
    /// - Returns: one of `ExitStatus`.
    static func run(_ configuration: Configuration, _ console: Console) -> Int32 {
        do throws(StartError) {
            return console.print(String(decoding: try document(configuration).value.indented, as: UTF8.self))
        } catch {
            console.complain("\(error)")
            return ExitStatus.failure
        }
    }

    /// - Throws: `StartError` when the APIs do not fit together.
    static func document(_ configuration: Configuration) throws(StartError) -> OpenAPIDocument {
        let worker = try idleWorker(configuration)
        return Worker.document(of: worker.apis, worker.services, configuration)
    }

    /// One that has never run and never will: for its APIs.
    static func idleWorker(_ configuration: Configuration) throws(StartError) -> Worker {
        var configuration = configuration
        // Nothing is sealed or signed: any key will do.
        configuration.secrets.masterKey = MasterKey(SecretString(Hex.encode(SecureRandom.bytes(MasterKey.byteCount))))
        let system = SystemContext(now: { Timestamp.now() }, random: { SecureRandom.bytes($0) })
        let shared = try SharedParts(configuration, logger: .disabled, system: system)
        defer { shared.stop() }
        let group: EventLoopGroup
        do throws(SystemError) {
            group = try EventLoopGroup(count: 1)
        } catch {
            throw .system(error)
        }
        defer { group.stop() }
        let loop = group.loops[0]
        return try Worker(loop, shared, shared.keySetKeeper(loop))
    }
}
