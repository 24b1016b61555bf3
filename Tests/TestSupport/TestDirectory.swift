import Glibc

/// A directory that is removed, with all in it, when the test lets go of it.
package final class TestDirectory: Sendable {
    package struct Failure: Error {
        package let code: Int32
    }

    package let path: String

    package init() throws {
        var template = Array("/tmp/kidoban-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        _ = try? ChildProcess.run("/bin/rm", ["-rf", path])
    }
}
