import Glibc

/// Why a file cannot be read, to follow the name of the setting that names it.
package enum FileFault: Error, Equatable, Sendable {
    case missing
    case notPermitted(FilePlace?)
    case isDirectory
    case tooLarge
    case failed(errno: Int32)

    var reason: String {
        switch self {
        case .missing: "names a file that does not exist"
        case .notPermitted(let place):
            "names a file that this process, of user \(geteuid()), may not read\(place?.text ?? "")"
        case .isDirectory: "names a directory"
        case .tooLarge: "names a file that is too large"
        case .failed(let code): "names a file that cannot be read (error \(code))"
        }
    }
}

/// Reads a file as a whole.
package struct FileReader: Sendable {
    package static let maximumByteCount = 4 << 20
    private static let maximumNameCount = 1000

    package let read: @Sendable (_ path: String) throws(FileFault) -> FileContents

    /// The names of what is in a directory, in no order; of very many only some, and none where nobody may look.
    package let names: @Sendable (_ directory: String) -> [String]

    package init(
        names: @escaping @Sendable (_ directory: String) -> [String] = { _ in [] },
        read: @escaping @Sendable (_ path: String) throws(FileFault) -> FileContents
    ) {
        self.names = names
        self.read = read
    }

    /// The files of the system.
    package static let system = FileReader(names: { directory in names(in: directory) }) { path throws(FileFault) in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault(errno: errno, place(path)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFault(errno: errno) }
        let bytes = try contents(of: descriptor)
        return FileContents(
            bytes: bytes, mode: status.st_mode & 0o777, owner: owner(status.st_uid), place: FilePlace(path, status))
    }

    private static func place(_ path: String) -> FilePlace? {
        let code = errno
        defer { errno = code }
        var status = stat()
        return stat(path, &status) == 0 ? FilePlace(path, status) : nil
    }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < maximumNameCount, let entry = readdir(directory) {
            names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    /// Root itself has the stricter rule for its own files.
    private static func owner(_ user: uid_t) -> FileContents.Owner {
        switch user {
        case geteuid(): .thisUser
        case 0: .root
        default: .other
        }
    }

    private static func contents(of descriptor: Int32) throws(FileFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= maximumByteCount {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw FileFault(errno: errno)
            }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
        throw .tooLarge
    }
}

extension FileFault {
    fileprivate init(errno code: Int32, _ place: @autoclosure () -> FilePlace? = nil) {
        switch code {
        case ENOENT, ENOTDIR: self = .missing
        case EACCES, EPERM: self = .notPermitted(place())
        case EISDIR: self = .isDirectory
        default: self = .failed(errno: code)
        }
    }
}

extension FilePlace {
    fileprivate init(_ path: String, _ status: stat) {
        self.init(path: path, mode: status.st_mode & 0o7777, owner: status.st_uid)
    }
}
