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
            do throws(Complaint) {
                try await writeUsers(request, to: output, context, &count)
            } catch {
                output.discard()
                // Whose data has been read by then is on record all the same.
                if count > 0 { try? await note(count, request, context) }
                throw error
            }
            try await note(count, request, context)
            return request.path == nil ? ExitStatus.success : console.print("\(count) users written\n")
        }
    }

    /// - Parameter count: the users that have been read.
    private static func writeUsers(
        _ request: ExportRequest, to output: Output, _ context: OperatorContext, _ count: inout Int
    ) async throws(Complaint) {
        var last: UserID?
        repeat {
            let from = last
            let (lines, found, next) = try await context.ask { worker throws(IdentityError) in
                try await UserExport(pool: worker.postgres, hasHashes: request.hasHashes).page(after: from)
            }
            count += found
            try output.write(lines)
            last = next
        } while last != nil
    }

    private static func note(
        _ count: Int, _ request: ExportRequest, _ context: OperatorContext
    ) async throws(Complaint) {
        let hasHashes = request.hasHashes
        try await context.administer { admin throws(AdministrationError) in
            await admin.noteExport(count: count, hasHashes: hasHashes)
        }
    }

    private final class Output {
        private let descriptor: Int32?
        private let path: String?
        private let console: Console

        init(_ path: String?, _ console: Console) throws(Complaint) {
            self.console = console
            self.path = path
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

        /// Leaves no half of a file, which a repetition would not replace.
        func discard() {
            if let path { unlink(path) }
        }

        func write(_ text: String) throws(Complaint) {
            let isWritten = descriptor.map { Console.write(text, to: $0) } ?? (console.print(text) == ExitStatus.success)
            guard isWritten else { throw Complaint("not all could be written: \(String(cString: strerror(errno)))") }
        }
    }
}
