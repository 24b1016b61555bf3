import Testing

@testable import Networking

@Suite struct OutputQueueTests {
    /// Sends at most so many bytes at a time, and returns all of them and how often more was announced.
    private static func sendAll(_ queue: inout OutputQueue, atMost step: Int) -> (bytes: [UInt8], announced: Int) {
        var sent: [UInt8] = []
        var announced = 0
        while queue.unsentCount > 0 {
            let chunk: [UInt8] = queue.withNext { bytes, isMoreToCome in
                if isMoreToCome { announced += 1 }
                return [UInt8](bytes.prefix(step))
            }
            sent += chunk
            queue.sent(chunk.count)
        }
        queue.settle()
        return (sent, announced)
    }

    @Test(arguments: [1, 2, 3, 7, 100])
    func `bytes leave in their order, however few the kernel takes`(step: Int) {
        var queue = OutputQueue(slack: 8)
        queue.append { $0 += [1, 2, 3] }
        queue.append { $0 += [4] }
        expect(queue.share([5, 6, 7, 8]))
        #expect(queue.unsentCount == 8)
        let (bytes, announced) = Self.sendAll(&queue, atMost: step)
        #expect(bytes == [1, 2, 3, 4, 5, 6, 7, 8])
        // Not for the last part.
        #expect(announced == (4 + step - 1) / step)
        #expect(queue.unsentCount == 0 && queue.capacity == 0 && queue.sharedCount == 0)
    }

    @Test func `what follows shared bytes goes behind what is left of them`() {
        var queue = OutputQueue(slack: 8)
        expect(queue.share([1, 2, 3]))
        expect(!queue.share([9]))
        queue.sent(1)
        queue.append { $0 += [4] }
        expect(queue.sharedCount == 0)
        expect(queue.share([5]))
        expect(Self.sendAll(&queue, atMost: 10).bytes == [2, 3, 4, 5])
    }

    @Test func `what has been sent is kept only while that is little`() {
        var queue = OutputQueue(slack: 4)
        queue.append { $0 += [UInt8](repeating: 1, count: 10) }
        queue.sent(4)
        queue.settle()
        #expect(queue.keptCount == 10)
        queue.sent(2)
        queue.settle()
        #expect(queue.keptCount == 4 && queue.unsentCount == 4)
        expect(queue.share([2]))
        queue.sent(4)
        queue.settle()
        #expect(queue.keptCount == 0 && queue.unsentCount == 1)
    }

    @Test func `what is dropped is gone, shared or not`() {
        var queue = OutputQueue(slack: 4)
        queue.append { $0 += [1] }
        _ = queue.share([2])
        queue.drop()
        #expect(queue.unsentCount == 0)
        queue.append { $0 += [3] }
        expect(Self.sendAll(&queue, atMost: 1).bytes == [3])
    }
}
