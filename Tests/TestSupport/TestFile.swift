import Glibc

/// Reads and writes files.
package enum TestFile {
    package struct Failure: Error {
        package let path: String
        package let code: Int32
    }

    /// The whole content.
    package static func text(of path: String) throws -> String {
        String(decoding: try bytes(of: path), as: UTF8.self)
    }

    /// The whole content.
    package static func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Failure(path: path, code: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}

extension TestFile {
    /// Makes a file.
    package static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure(path: path, code: errno) }
    }

    /// A new file of this content.
    package static func write(_ content: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, content, content.count) == content.count else { throw Failure(path: path, code: errno) }
    }
}
