public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that only its owner may read (0600), for systems without a Keychain.
public struct FileTokenStorage: TokenStorage {
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        public let operation: String
        public let code: Int32

        public var description: String { "\(operation): \(String(cString: strerror(code)))" }
    }

    private let path: String

    /// - Parameter file: its directory is made if it is not there, for the owner alone (0700).
    public init(_ file: URL) {
        path = file.path
    }

    public func load() throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(operation: "open", code: errno)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try file.readToEnd() ?? Data()
    }

    /// Writes beside it and moves it there, so that a crash leaves the old bytes or the new ones.
    public func save(_ data: Data) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let draft = "\(path).\(UUID().uuidString)"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(operation: "create", code: errno) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            try file.synchronize()
            try file.close()
            guard rename(draft, path) == 0 else { throw Failure(operation: "rename", code: errno) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    public func remove() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw Failure(operation: "remove", code: errno) }
    }
}
