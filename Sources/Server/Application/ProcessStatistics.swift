import Endpoints
import Glibc
import Text

/// What the kernel says of this process.
enum ProcessStatistics {
    static func report(startedAt: Timestamp) -> Operations.MetricsReport {
        var report = Operations.MetricsReport()
        report.residentBytes = residentBytes()
        report.openDescriptors = openDescriptors()
        report.cpuSeconds = cpuSeconds()
        report.startedAtSeconds = Double(startedAt.milliseconds) / 1000
        report.version = Version.text
        report.swiftVersion = Version.swift
        return report
    }

    /// The second number of `/proc/self/statm`, in pages.
    private static func residentBytes() -> UInt64 {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let numbers = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
        return numbers.count > 1 ? (UInt64(numbers[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    private static func openDescriptors() -> UInt64 {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count: UInt64 = 0
        while readdir(directory) != nil { count += 1 }
        // Not counted: `.`, `..` and the directory itself.
        return count > 3 ? count - 3 : 0
    }

    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}

/// Decides when memory is given back to the system: the C library keeps what is freed in the middle of its heap, and a flood of
/// connections would leave the process as large as it has once been; and most of the program is needed only once, at the start.
struct MemoryKeeper {
    /// What a task costs that serves a connection, with what it reads into.
    static let taskBytes = 8192
    /// Less is not worth the walk through the heap.
    static let worthwhile = 4 * 1024 * 1024
    /// After so many looks at which nobody had asked for anything, a process has nothing to do.
    static let quietLooks = 3
    /// It does so little by itself that this is often enough, in looks.
    static let looksBetween = 60

    private var peak = 0
    private var wakes = 0
    private var quiet = 0

    /// - Parameters:
    ///   - recent: the most that connections have taken since the last look.
    ///   - now: what they take now.
    /// - Returns: whether so much has been let go of since memory was last given back that it is worth doing again. What goes up and down
    ///   by a little, as under an attack that is being shed, is not.
    mutating func shouldGiveBack(recent: Int, now: Int) -> Bool {
        peak = max(peak, recent, now)
        guard peak - now >= max(Self.worthwhile, peak / 4) else { return false }
        peak = now
        return true
    }

    /// - Parameters:
    ///   - wakes: how often a client has asked for something, since the start.
    ///   - tasks: how many do now.
    /// - Returns: whether what was mapped of the program is to be let go of: when the process has just become quiet, and now and then after.
    mutating func shouldReleaseProgram(wakes: Int, tasks: Int) -> Bool {
        quiet = tasks == 0 && wakes == self.wakes ? quiet + 1 : 0
        self.wakes = wakes
        return quiet >= Self.quietLooks && (quiet - Self.quietLooks) % Self.looksBetween == 0
    }
}
