import Testing

@testable import Postgres

@Suite struct FIFOTests {
    @Test(arguments: [1, 63, 64, 65, 1000])
    func `what goes in first comes out first`(count: Int) {
        var queue = FIFO<Int>()
        var out: [Int] = []
        for number in 0..<count {
            queue.append(number)
            queue.append(number + count)
            if let first = queue.popFirst() { out.append(first) }
        }
        #expect(queue.count == count)
        while let first = queue.popFirst() { out.append(first) }
        #expect(out == (0..<count).flatMap { [$0, $0 + count] })
        #expect(queue.isEmpty && queue.first == nil)
    }

    @Test func `what is put back comes out before the rest and in its order`() {
        var queue = FIFO<Int>()
        for number in 1...4 { queue.append(number) }
        _ = queue.popFirst()
        _ = queue.popFirst()
        queue.prepend([10, 11, 12])
        #expect(queue.all == [10, 11, 12, 3, 4])
    }

    @Test func `what is extracted is gone and the rest keeps its order`() {
        var queue = FIFO<Int>()
        for number in 1...7 { queue.append(number) }
        _ = queue.popFirst()
        #expect(queue.extract { $0.isMultiple(of: 2) } == [2, 4, 6])
        #expect(queue.all == [3, 5, 7])
        #expect(queue.count == 3)
    }
}
