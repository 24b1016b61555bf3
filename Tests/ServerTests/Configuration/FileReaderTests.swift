import Glibc
import Testing

@testable import Server

/// On files of the system, in a directory that goes away with the suite.
@Suite final class FileReaderTests {
    private let directory: String

    init() throws {
        var template = Array("/tmp/kidoban-files-XXXXXX".utf8CString)
        let created = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        directory = try #require(created)
    }

    deinit {
        for name in ["secret", "link", "large"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    private func write(_ bytes: [UInt8], to name: String, mode: mode_t) throws -> String {
        let path = "\(directory)/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
        return path
    }

    @Test(arguments: [mode_t(0o600), 0o640, 0o400])
    func `bytes and permissions are those of the file`(_ mode: mode_t) throws {
        let contents = try FileReader.system.read(try write([1, 0, 255], to: "secret", mode: mode))
        #expect(contents.bytes == [1, 0, 255])
        #expect(contents.mode == mode)
        #expect(contents.isPrivate == (mode & 0o077 == 0))
    }

    @Test func `a link counts as the file it leads to`() throws {
        let path = try write([7], to: "secret", mode: 0o644)
        try #require(symlink(path, "\(directory)/link") == 0)
        let contents = try FileReader.system.read("\(directory)/link")
        #expect(contents.bytes == [7])
        #expect(!contents.isPrivate)
    }

    @Test func `what cannot be read says why`() throws {
        #expect(throws: FileFault.missing) { try FileReader.system.read("\(directory)/nothing") }
        #expect(throws: FileFault.missing) { try FileReader.system.read("/dev/null/nothing") }
        #expect(throws: FileFault.isDirectory) { try FileReader.system.read(directory) }
        #expect(throws: FileFault.tooLarge) { try FileReader.system.read("/dev/zero") }
    }

    @Test func `the limit itself can be read`() throws {
        let path = try write([UInt8](repeating: 65, count: FileReader.maximumByteCount), to: "large", mode: 0o600)
        #expect(try FileReader.system.read(path).bytes.count == FileReader.maximumByteCount)
        let more = try write([UInt8](repeating: 65, count: FileReader.maximumByteCount + 1), to: "large", mode: 0o600)
        #expect(throws: FileFault.tooLarge) { try FileReader.system.read(more) }
    }
}
