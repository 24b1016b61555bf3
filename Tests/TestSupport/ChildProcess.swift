import Glibc

/// A program that a test has started. It is killed when the test lets go of it.
package final class ChildProcess: @unchecked Sendable {  // `exitStatus` is touched by the one test that owns the process
    package struct SpawnFailure: Error {
        package let path: String
        package let code: Int32
    }

    package let processID: Int32
    private var exitStatus: Int32?

    /// Starts a program.
    /// - Parameters:
    ///   - environment: what it finds in its environment; nil for the same as this process.
    ///   - inputPath: the file that is its standard input.
    ///   - outputPath: the file that takes its standard output and error.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, inputPath: String = "/dev/null",
        outputPath: String = "/dev/null"
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, inputPath, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?]? = environment.map { $0.map { strdup("\($0)=\($1)") } + [nil] }
        defer {
            for pointer in arguments + (variables ?? []) { free(pointer) }
        }
        var processID = pid_t()
        let code =
            if variables == nil {
                posix_spawn(&processID, path, &actions, nil, &arguments, environ)
            } else {
                variables?.withUnsafeMutableBufferPointer {
                    posix_spawn(&processID, path, &actions, nil, &arguments, $0.baseAddress)
                } ?? EINVAL
            }
        guard code == 0 else { throw SpawnFailure(path: path, code: code) }
        self.processID = processID
    }

    deinit {
        guard isRunning else { return }
        send(SIGKILL)
        waitForExit()
    }

    /// Runs a program to its end.
    /// - Returns: its exit code, or 128 and more for the signal that ended it.
    package static func run(_ path: String, _ arguments: [String], outputPath: String = "/dev/null") throws -> Int32 {
        try ChildProcess(path, arguments, outputPath: outputPath).waitForExit()
    }

    /// The names of its threads, as far as the kernel keeps them: 15 bytes.
    package func threadNames() -> [String] {
        guard let directory = opendir("/proc/\(processID)/task") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let thread = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard thread.first != "." else { continue }
            // A thread may end in between.
            if let name = try? TestFile.text(of: "/proc/\(processID)/task/\(thread)/comm") { names.append(name) }
        }
        return names
    }

    /// Has it stand still until `SIGCONT`. It goes on until the kernel has come to it, which is waited for.
    package func pause() {
        send(SIGSTOP)
        while isRunning, !isStopped { usleep(1_000) }
    }

    private var isStopped: Bool {
        // The state comes behind the name, which is in parentheses.
        let status = (try? TestFile.text(of: "/proc/\(processID)/stat")) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" T") == true
    }

    package var isRunning: Bool {
        if exitStatus == nil { collect(WNOHANG) }
        return exitStatus == nil
    }

    package func send(_ signal: Int32) {
        guard exitStatus == nil else { return }
        kill(processID, signal)
    }

    /// Blocks until the program has ended.
    /// - Returns: its exit code, or 128 and more for the signal that ended it.
    @discardableResult
    package func waitForExit() -> Int32 {
        if exitStatus == nil { collect(0) }
        let status = exitStatus ?? 0
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    private func collect(_ options: Int32) {
        var status: Int32 = 0
        var result: pid_t
        repeat { result = waitpid(processID, &status, options) } while result < 0 && errno == EINTR
        if result == processID { exitStatus = status }
    }
}
