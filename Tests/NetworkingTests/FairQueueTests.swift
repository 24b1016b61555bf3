import Testing

@testable import Networking

@Suite struct FairQueueTests {
    private static func owner(_ address: String, site: String? = nil, account: String = "", client: String = "") -> JobOwner {
        JobOwner(network: site ?? address, address: address, groups: [account, client])
    }

    private static func queue(
        all: Int = 100, network: Int = 100, address: Int = 100, account: Int = 100, client: Int = 100
    ) -> FairQueue<String> {
        FairQueue(JobOwner.Bounds(all: all, network: network, address: address, groups: [account, client]))
    }

    @Test func `addresses take turns, and the jobs of one keep their order`() {
        var queue = Self.queue()
        for job in ["a1", "a2", "a3", "b1", "b2", "c1"] { queue.wait(job) }
        #expect(queue.drain() == ["a1", "b1", "a2", "c1", "b2", "a3"])
        #expect(queue.isForgetful && queue.count == 0)
    }

    @Test func `who asks for little is next, however much others have waiting`() {
        var queue = Self.queue()
        for number in 0..<50 { queue.wait("a\(number)") }
        #expect(queue.take() == "a0")
        #expect(queue.take() == "a1")
        for number in 0..<5 {
            queue.wait("b\(number)")
            #expect(queue.take() == "b\(number)" || queue.take() == "b\(number)", "at most one turn of the other is before it")
        }
    }

    @Test func `a thread is always left for others where jobs do nothing but wait`() {
        var queue = FairQueue<String>(JobOwner.Bounds(all: 100), threads: 3, reserve: .always)
        for number in 0..<5 { queue.wait("a\(number)") }
        #expect(queue.next()?.job == "a0" && queue.next()?.job == "a1")
        #expect(queue.next() == nil)
        queue.wait("b0")
        #expect(queue.next()?.job == "b0")
        #expect(queue.next() == nil)
        queue.ended("a")
        #expect(queue.next()?.job == "a2")
    }

    @Test func `who comes back at once is not new, so that those before are not passed over`() {
        var queue = Self.queue()
        for job in ["a1", "b1", "c1"] { queue.wait(job) }
        var order: [String] = []
        for _ in 0..<6 {
            guard let job = queue.take() else { break }
            order.append(job)
            if job.hasPrefix("a") { queue.wait("a") }
        }
        #expect(order == ["a1", "b1", "a", "c1", "a", "a"])
    }

    @Test func `newcomers without end keep nobody waiting for ever`() {
        var queue = Self.queue()
        for job in ["a1", "a2", "a3"] { queue.wait(job) }
        var order: [String] = []
        for number in 0..<12 {
            queue.wait("\(number)", for: Self.owner("new \(number)"))
            order.append(queue.take() ?? "")
        }
        #expect(order.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3"])
    }

    @Test func `the networks of a site share its turns`() {
        var queue = Self.queue()
        for number in 0..<20 { queue.wait("a\(number)", for: Self.owner("site:\(number)", site: "site")) }
        queue.wait("b1")
        queue.wait("b2")
        #expect(Array(queue.drain().prefix(5)) == ["a0", "b1", "a1", "b2", "a2"])
    }

    @Test func `an address has a bound, at which it alone is refused`() {
        var queue = Self.queue(address: 2)
        #expect(queue.wait("a1") == [])
        #expect(queue.wait("a2") == [])
        #expect(queue.wait("a3") == nil)
        #expect(queue.wait("b1") == [])
        #expect(queue.take() == "a1")
        #expect(queue.wait("a4") == [])
        #expect(queue.drain() == ["b1", "a2", "a4"])
    }

    @Test func `when all is full, who has the most makes room with the newest`() {
        var queue = Self.queue(all: 4)
        for job in ["a1", "a2", "a3", "b1"] { queue.wait(job) }
        #expect(queue.wait("a4") == nil)
        #expect(queue.wait("c1") == ["a3"])
        // One more than the newcomer has is no reason.
        #expect(queue.wait("b2") == nil)
        #expect(queue.wait("d1") == ["a2"])
        #expect(queue.wait("e1") == nil, "everybody has one")
        #expect(queue.count == 4)
        #expect(queue.drain() == ["a1", "b1", "c1", "d1"])
    }

    @Test func `a site has a bound, within which its networks make room for each other`() {
        var queue = Self.queue(network: 3)
        for job in ["x1", "x2", "x3"] { queue.wait(job, for: Self.owner("x", site: "site")) }
        #expect(queue.wait("y1", for: Self.owner("y", site: "site")) == ["x3"])
        #expect(queue.wait("x4", for: Self.owner("x", site: "site")) == nil)
        #expect(queue.wait("z1") == [])
        #expect(queue.count == 4)
    }

    @Test func `what waits for one account or by one client is bounded, and whoever has the most there makes room`() {
        var queue = Self.queue(account: 3, client: 5)
        for job in ["a1", "a2", "a3"] { queue.wait(job, for: Self.owner("a", account: "anna", client: "app")) }
        #expect(queue.wait("a4", for: Self.owner("a", account: "anna", client: "app")) == nil)
        #expect(queue.wait("b1", for: Self.owner("b", account: "anna", client: "app")) == ["a3"])
        #expect(queue.wait("a4", for: Self.owner("a", account: "berta", client: "app")) == [])
        #expect(queue.wait("a5", for: Self.owner("a", account: "berta", client: "app")) == [])
        #expect(queue.wait("a6", for: Self.owner("a", account: "carla", client: "app")) == nil)
        #expect(queue.wait("c1", for: Self.owner("c", account: "carla", client: "app")) == ["a5"])
        #expect(queue.wait("a6", for: Self.owner("a", account: "carla", client: "other")) == [])
        _ = queue.drain()
        #expect(queue.isForgetful)
    }

    @Test func `strangers who have one job each for an account keep nobody else from it`() {
        var queue = Self.queue(account: 8, client: 8)
        for number in 0..<8 { queue.wait("s\(number)", for: Self.owner("stranger \(number)", account: "anna", client: "app")) }
        #expect(queue.wait("owner", for: Self.owner("home", account: "anna", client: "app")) == [])
        #expect(queue.wait("owner again", for: Self.owner("home", account: "anna", client: "app")) == nil, "one is enough")
        #expect(queue.wait("s8", for: Self.owner("stranger 0", account: "anna", client: "app")) == nil)
        #expect(queue.wait("s8", for: Self.owner("stranger 0", account: "berta", client: "other")) == [])
        #expect(queue.count == 10)
    }

    @Test func `while others come too, nobody has all the threads`() {
        func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }
        var queue = FairQueue<String>(JobOwner.Bounds(all: 100), threads: 3)
        for number in 0..<20 { _ = queue.add("a\(number)", for: Self.owner("a"), at: at(0)) }
        // Whoever is alone has all of them.
        #expect((0..<3).map { _ in queue.next(at: at(0))?.job } == ["a0", "a1", "a2"])
        for _ in 0..<3 { queue.ended("a") }
        _ = queue.add("b0", for: Self.owner("b"), at: at(20))
        #expect((0..<3).map { _ in queue.next(at: at(20))?.job } == ["b0", "a3", "a4"])
        queue.ended("b")
        #expect(queue.next(at: at(21)) == nil, "one is left for others")
        _ = queue.add("b1", for: Self.owner("b"), at: at(22))
        #expect(queue.next(at: at(22))?.job == "b1")
        queue.ended("b")
        #expect(queue.next(at: at(23)) == nil)
        queue.ended("a")
        #expect(queue.next(at: at(23))?.job == "a5")
        // Nobody else has come for a while.
        #expect(queue.next(at: at(32))?.job == "a6")
    }

    @Test func `one job that makes room is enough where it was in the way twice`() {
        var queue = Self.queue(all: 3, account: 2)
        queue.wait("a1", for: Self.owner("a", account: "anna"))
        queue.wait("a2", for: Self.owner("a", account: "anna"))
        queue.wait("a3", for: Self.owner("a"))
        #expect(queue.wait("b1", for: Self.owner("b", account: "anna")) == ["a2"])
        #expect(queue.count == 3)
    }
}

extension FairQueue where Job == String {
    /// Who had to make room; nil when it is refused.
    @discardableResult
    fileprivate mutating func wait(_ job: String, for owner: JobOwner? = nil) -> [String]? {
        let address = String(job.prefix(1))
        switch add(job, for: owner ?? JobOwner(network: address, address: address)) {
        case .waiting(let others): return others
        case .refused: return nil
        }
    }

    /// The next job, which has run at once.
    fileprivate mutating func take() -> String? {
        guard let (job, network) = next() else { return nil }
        ended(network)
        return job
    }

    fileprivate mutating func drain() -> [String] {
        var jobs: [String] = []
        while let job = take() { jobs.append(job) }
        return jobs
    }
}
