import Glibc
import Identity
import Networking

/// Whether the clocks agree: tokens and sessions carry times that several machines compare.
enum ClockCheck {
    static let name = "clock"

    /// From here on a difference is worth a word.
    private static let noticeable = Duration.seconds(1)

    /// - Parameters:
    ///   - offset: nil when the server could not be asked.
    ///   - limit: from which on it is a problem.
    static func finding(of server: String, _ offset: ClockOffset?, limit: Duration) -> Finding {
        let name = "\(name)-\(server.lowercased())"
        guard let offset else { return Finding(name, .skipped, "\(server) cannot be asked for its time") }
        let direction = offset.ahead < .zero ? "behind" : "ahead of"
        let detail = "\(server)'s clock is \(milliseconds(offset.atLeast)) ms \(direction) ours"
        let remedy = "have all machines keep time with NTP"
        guard offset.atLeast <= limit else { return Finding(name, .problem(remedy), detail) }
        guard offset.atLeast <= noticeable else { return Finding(name, .advice(remedy), detail) }
        return Finding(name, .ok, "\(server)'s clock and ours agree")
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}

/// Whether the limit of open files allows the configured connections.
enum OpenFilesCheck {
    static let name = "open-files"

    static func finding(of configuration: Configuration) -> Finding {
        let budget = ConnectionBudget(
            wanted: configuration.http.maximumConnections, otherDescriptors: configuration.ownDescriptors)
        return finding(wanted: configuration.http.maximumConnections, possible: budget.limit)
    }

    static func finding(wanted: Int, possible: Int) -> Finding {
        guard possible < wanted else { return Finding(name, .ok, "enough for \(wanted) connections") }
        let remedy = "raise it (`ulimit -n`, systemd's LimitNOFILE) or lower KIDOBAN_MAX_CONNECTIONS"
        let detail = "the limit of this shell allows \(possible) connections of the \(wanted) in KIDOBAN_MAX_CONNECTIONS"
        return Finding(name, possible < 100 ? .problem(remedy) : .advice(remedy), detail)
    }
}

/// Whether the machine, or the group of processes that this one is in, has the memory for all password hashes at once.
enum PasswordMemoryCheck {
    static let name = "password-memory"

    static func finding(of configuration: Configuration) -> Finding {
        let passwords = configuration.passwords
        let needed = passwords.memoryKiB * 1024 * passwords.threadCount
        guard let available = availableBytes else {
            return Finding(name, .skipped, "the system does not say how much memory it has")
        }
        return finding(threads: passwords.threadCount, needed: needed, available: available)
    }

    /// Beside the hashes the process takes some 50 MiB, and more with many connections.
    static func finding(threads: Int, needed: Int, available: Int) -> Finding {
        let detail = "\(threads) at once take \(megabytes(needed)) of \(megabytes(available))"
        let remedy = "lower KIDOBAN_HASH_THREADS, or give it more memory; KIDOBAN_ARGON2_MEMORY is what protects passwords"
        switch needed {
        case (available / 10 * 8)...: return Finding(name, .problem(remedy), detail)
        case (available / 2)...: return Finding(name, .advice(remedy), detail)
        default: return Finding(name, .ok, detail)
        }
    }

    private static func megabytes(_ bytes: Int) -> String {
        "\((bytes + 1 << 19) >> 20) MiB"
    }

    /// What the machine has, or less where a control group of this process is limited.
    private static var availableBytes: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return ([pages].filter { $0 > 0 } + groupLimits).min()
    }

    /// Of this group and those above it (cgroups version 2, and where version 1 is mounted inside a container).
    private static var groupLimits: [Int] {
        var path = text(of: "/proc/self/cgroup").split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? ""
        var files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        while path.count > 1 {
            files.append("/sys/fs/cgroup\(path)/memory.max")
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return files.compactMap { Int(text(of: $0).prefix { $0 != "\n" }) }
    }

    private static func text(of path: String) -> String {
        guard let contents = try? FileReader.system.read(path) else { return "" }
        return String(decoding: contents.bytes, as: UTF8.self)
    }
}
