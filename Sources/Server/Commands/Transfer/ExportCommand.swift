import Endpoints
import Glibc
import Identity
import Text

/// `kidoban export`: writes all users as lines of JSON.
enum ExportCommand {
    /// - Returns: one of `ExitStatus`.
    static func run(_ request: ExportRequest, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            try await context.administer { admin throws(AdministrationError) in try admin.permit(.exportUsers) }
            let output = try Output(request.path, console)
            var count = 0
            var last: UserID?
            repeat {
                let from = last
                let (lines, found, next) = try await context.ask { worker throws(IdentityError) in
                    try await UserExport(pool: worker.postgres, hasHashes: request.hasHashes).page(after: from)
                }
                try output.write(lines)
                count += found
                last = next
            } while last != nil
            let (all, hasHashes) = (count, request.hasHashes)
            try await context.administer { admin throws(AdministrationError) in
                await admin.noteExport(count: all, hasHashes: hasHashes)
            }
            return request.path == nil ? ExitStatus.success : console.print("\(count) users written\n")
        }
    }

    private final class Output {
        private let descriptor: Int32?
        private let console: Console

        init(_ path: String?, _ console: Console) throws(Complaint) {
            self.console = console
            guard let path else {
                descriptor = nil
                return
            }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            self.descriptor = descriptor
            guard descriptor >= 0 else { throw Complaint("\(path.excerpt) cannot be made: \(String(cString: strerror(errno)))") }
        }

        deinit {
            if let descriptor, descriptor >= 0 { close(descriptor) }
        }

        func write(_ text: String) throws(Complaint) {
            let isWritten = descriptor.map { Console.write(text, to: $0) } ?? (console.print(text) == ExitStatus.success)
            guard isWritten else { throw Complaint("the file is not whole: \(String(cString: strerror(errno)))") }
        }
    }
}
