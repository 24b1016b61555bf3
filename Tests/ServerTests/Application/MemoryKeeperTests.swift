import Glibc
import Networking
import Testing

@testable import Server

@Suite("Memory that is given back") struct MemoryKeeperTests {
    private static let megabyte = 1024 * 1024

    @Test func `what connections have let go of is given back once`() {
        var keeper = MemoryKeeper()
        let looks = [(100, 90), (90, 10), (10, 9), (9, 9)].map { recent, now in
            keeper.shouldGiveBack(recent: recent * Self.megabyte, now: now * Self.megabyte)
        }
        #expect(looks == [false, true, false, false])
    }

    @Test func `the program is let go of when nobody asks for anything, and seldom after that`() {
        var keeper = MemoryKeeper()
        let whileSomebodyComes = (1...100).map { keeper.shouldReleaseProgram(wakes: $0, tasks: 0) }
        #expect(!whileSomebodyComes.contains(true))
        let whileNobodyDoes = (1...130).map { _ in keeper.shouldReleaseProgram(wakes: 100, tasks: 0) }
        #expect(whileNobodyDoes.indices.filter { whileNobodyDoes[$0] } == [2, 62, 122])
        // Somebody who is served for long is not nobody.
        let whileOneIsServed = (1...100).map { _ in keeper.shouldReleaseProgram(wakes: 101, tasks: 1) }
        #expect(!whileOneIsServed.contains(true))
        let after = (1...3).map { _ in keeper.shouldReleaseProgram(wakes: 101, tasks: 0) }
        #expect(after == [false, false, true])
    }

    @Test func `the program goes on after it was let go of, and less of it is mapped`() throws {
        // Other tests map it again meanwhile.
        let fell = try (0..<20).contains { _ in
            let before = try mappedPages()
            ProcessMemory.releaseProgram()
            return try mappedPages() < before / 2
        }
        #expect(fell)
        #expect("still here".uppercased() == "STILL HERE")
    }

    /// The third number of `/proc/self/statm`: pages of files.
    private func mappedPages() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        try #require(fgets(&line, 256, file) != nil)
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return try #require(Int(text.split(separator: " ")[2]))
    }
}
