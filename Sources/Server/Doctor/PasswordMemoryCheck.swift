import Glibc

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
