/// A queue: first in, first out, in amortised constant time.
///
/// Inlinable, because commands and queries of other modules pass through one.
package struct FIFO<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { elements.count - head }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package var first: Element? { isEmpty ? nil : elements[head] }

    /// The elements, the first one first.
    @inlinable
    package var all: [Element] { elements[head...].compactMap { $0 } }

    @inlinable
    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements before all others, in their order.
    @inlinable
    package mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(..<head, with: others)
        head = 0
    }

    @inlinable
    package mutating func popFirst() -> Element? {
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
    @inlinable
    package mutating func extract(where condition: (Element) -> Bool) -> [Element] {
        let taken = all.filter(condition)
        guard !taken.isEmpty else { return [] }
        elements = ContiguousArray(all.filter { !condition($0) })
        head = 0
        return taken
    }

    /// Lets `body` change the element at a place, counted from the first.
    @inlinable
    package mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        guard index < count, var element = elements[head + index] else { return }
        elements[head + index] = nil
        body(&element)
        elements[head + index] = element
    }
}
