/// A queue: first in, first out, in amortised constant time.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : elements[head] }

    /// The elements, the first one first.
    var all: [Element] { elements[head...].compactMap { $0 } }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements before all others, in their order.
    mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(..<head, with: others)
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes out what `condition` holds for, in order.
    mutating func extract(where condition: (Element) -> Bool) -> [Element] {
        let taken = all.filter(condition)
        guard !taken.isEmpty else { return [] }
        let kept = all.filter { !condition($0) }
        elements = kept
        head = 0
        return taken
    }
}
