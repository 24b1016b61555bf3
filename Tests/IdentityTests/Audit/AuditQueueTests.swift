import Testing
import Text

@testable import Identity

@Suite struct AuditQueueTests {
    private func event(_ number: UInt8) -> AuditEvent {
        AuditEvent(
            id: UUID(version7At: Sample.now, random: [UInt8](repeating: number, count: 10)), time: Sample.now, kind: .userUpdated,
            actor: .system)
    }

    private func events(_ numbers: Range<UInt8>) -> [AuditEvent] {
        numbers.map { event($0) }
    }

    @Test func `events come out in the order in which they came in`() {
        var queue = AuditQueue(capacity: 5)
        for event in events(0..<5) { #expect(queue.append(event) == nil) }
        #expect(Array(queue.prefix(3)) == events(0..<3))
        queue.remove(queue.prefix(3))
        #expect(Array(queue.prefix(9)) == events(3..<5))
        #expect(queue.count == 2)
    }

    @Test func `beyond its bound the oldest give way, one for one`() {
        var queue = AuditQueue(capacity: 3)
        for event in events(0..<3) { #expect(queue.append(event) == nil) }
        for number in 3..<50 as Range<UInt8> {
            #expect(queue.append(event(number)) == event(number - 3))
            #expect(queue.count == 3)
            #expect(Array(queue.prefix(9)) == events(number - 2..<number + 1))
        }
    }

    @Test func `what has been written is taken out, also when some of it gave way meanwhile`() {
        var queue = AuditQueue(capacity: 4)
        for event in events(0..<4) { _ = queue.append(event) }
        let written = queue.prefix(3)
        for event in events(4..<6) { _ = queue.append(event) }
        queue.remove(written)
        #expect(Array(queue.prefix(9)) == events(3..<6))
        #expect(!queue.isEmpty)
        queue.remove(queue.prefix(9))
        #expect(queue.isEmpty)
    }
}
