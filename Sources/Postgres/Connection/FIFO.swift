/// A queue: first in, first out, in constant time. A ring that grows, and keeps its room.
struct FIFO<Element> {
    /// As many places as a power of two says, or none.
    private var places: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count == 0 ? nil : places[head] }

    /// The elements, the first one first.
    var all: [Element] { (0..<count).compactMap { places[place($0)] } }

    mutating func append(_ element: Element) {
        if count == places.count { grow(to: count + 1) }
        places[place(count)] = element
        count += 1
    }

    /// Puts elements before all others, in their order.
    mutating func prepend(_ others: [Element]) {
        guard !others.isEmpty else { return }
        replaceAll(with: others + all)
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = places[head]
        places[head] = nil
        head = place(1)
        count -= 1
        return element
    }

    /// Takes out what `condition` holds for, in order.
    mutating func extract(where condition: (Element) -> Bool) -> [Element] {
        let taken = all.filter(condition)
        guard !taken.isEmpty else { return [] }
        replaceAll(with: all.filter { !condition($0) })
        return taken
    }

    /// Lets `body` change the element at a place, counted from the first.
    mutating func update(at index: Int, _ body: (inout Element) -> Void) {
        guard index < count, var element = places[place(index)] else { return }
        places[place(index)] = nil
        body(&element)
        places[place(index)] = element
    }

    private func place(_ index: Int) -> Int { (head &+ index) & (places.count &- 1) }

    private mutating func grow(to wanted: Int) {
        var room = max(8, places.count)
        while room < wanted { room *= 2 }
        var larger = ContiguousArray<Element?>(repeating: nil, count: room)
        for index in 0..<count { larger[index] = places[place(index)] }
        places = larger
        head = 0
    }

    private mutating func replaceAll(with elements: [Element]) {
        places = []
        (head, count) = (0, 0)
        grow(to: elements.count)
        for element in elements { append(element) }
    }
}
