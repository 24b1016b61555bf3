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
