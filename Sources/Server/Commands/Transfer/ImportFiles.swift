import Glibc
import Identity
import Text

/// The file of an import, read as it goes.
actor ImportSource {
    private static let chunkSize = 256 * 1024

    private let descriptor: Int32
    private var file: UserFile
    private var pending: [(number: Int, record: TransferRecord)] = []
    private var isAtEnd = false
    private var chunk = [UInt8](repeating: 0, count: ImportSource.chunkSize)
    nonisolated let byteCount: Int
    private(set) var position = 0

    init(path: String, _ format: UserFile.Format) throws(Complaint) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Complaint("\(path.excerpt) cannot be read: \(String(cString: strerror(errno)))") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Complaint("\(path.excerpt) is no file")
        }
        byteCount = Int(status.st_size)
        file = UserFile(format)
    }

    deinit {
        close(descriptor)
    }

    /// The next records in so many batches of that size; fewer at the end, and then none.
    func next(_ batchCount: Int, of size: Int, at now: Timestamp) throws(Complaint) -> [UserImport.Batch] {
        var batches: [UserImport.Batch] = []
        while batches.count < batchCount {
            let records = try records(size)
            guard !records.isEmpty else { break }
            batches.append(UserImport.Batch(records, at: now))
        }
        return batches
    }

    /// As many or a few more.
    private func records(_ count: Int) throws(Complaint) -> [(number: Int, record: TransferRecord)] {
        while pending.count < count, !isAtEnd {
            let size = read(descriptor, &chunk, chunk.count)
            if size < 0 {
                guard errno == EINTR else { throw Complaint("the file cannot be read: \(String(cString: strerror(errno)))") }
                continue
            }
            position += size
            isAtEnd = size == 0
            pending += file.take(chunk[..<size])
        }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }
}

/// The file that says who was refused, a JSON object a line.
final class ImportReport {
    private let path: String
    private let descriptor: Int32
    private var isEmpty = true

    init(path: String) throws(Complaint) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Complaint(
                "the report \(path.excerpt) cannot be written: \(String(cString: strerror(errno)))", status: ExitStatus.usage)
        }
        // A run that goes on replaces the report of the one before. Nothing else is written over: it may be the very file that is read.
        guard Self.isReport(descriptor), ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            Glibc.close(descriptor)
            throw Complaint("\(path.excerpt) is no report of an import: name another file", status: ExitStatus.usage)
        }
    }

    /// Whether there is nothing in a file, or it begins as a report does.
    private static func isReport(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var beginning = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &beginning, beginning.count)
        guard count > 0 else { return count == 0 }
        let line = beginning.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
        guard let object = try? JSON.parse(Array(line)).objectValue else { return false }
        return object["record"] != nil && (object["refused"] ?? object["left_out"]) != nil
    }

    deinit {
        Glibc.close(descriptor)
    }

    func add(_ complaints: [UserImport.Complaint]) throws(Complaint) {
        guard !complaints.isEmpty else { return }
        isEmpty = false
        guard Console.write(complaints.map(\.document.line).joined(), to: descriptor) else {
            throw Complaint("the report \(path.excerpt) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// - Returns: where it is; nil where there is nothing to report, and then no file either.
    func close() throws(Complaint) -> String? {
        guard isEmpty else { return path }
        unlink(path)
        return nil
    }
}

/// How far a command is, on one line of a terminal; nothing elsewhere.
struct Progress {
    private let total: Int
    private let isShown: Bool
    private let start: Timestamp
    private var shownAt: Int64 = 0

    init(total: Int, console: Console) {
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1 && console.input.isTerminal
        start = Timestamp.now()
    }

    mutating func show(count: Int, position: Int) {
        let elapsed = Timestamp.now().milliseconds - start.milliseconds
        guard isShown, elapsed - shownAt >= 200 else { return }
        shownAt = elapsed
        let text = Self.line(count: count, position: position, total: total, milliseconds: elapsed)
        _ = Console.write("\r\u{1B}[K\(text)", to: STDERR_FILENO)
    }

    func end() {
        if isShown { _ = Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    /// Users, users a second, how much of the file, and how long the rest will take at this rate.
    static func line(count: Int, position: Int, total: Int, milliseconds: Int64) -> String {
        let elapsed = max(1, milliseconds)
        let rate = Int64(count) * 1000 / elapsed
        guard total > 0, position > 0 else { return "\(count) users, \(rate)/s" }
        let percent = min(100, position * 100 / total)
        let left = elapsed * Int64(max(0, total - position)) / Int64(position) / 1000
        let time = left >= 3600 ? "\(left / 3600)h \(left / 60 % 60)m" : left >= 60 ? "\(left / 60)m \(left % 60)s" : "\(left)s"
        return "\(count) users, \(rate)/s, \(percent) %, \(time) left"
    }
}
