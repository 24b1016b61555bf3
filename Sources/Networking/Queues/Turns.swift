/// Whose turn is next among those who wait: who comes anew and who has had a turn lately alternate, each in the order they came. So who
/// asks for little waits for one turn of the others' at most, and nobody waits for ever (after the two lists of RFC 8290 §4.2).
struct Turns<Key: Hashable & Sendable>: Sendable {
    private var new: [Key] = []
    /// Who has had a turn stays here until the next, also with nothing to do: coming back makes nobody new.
    private var served: [Key] = []
    private var members: Set<Key> = []
    /// Whose turn was last, and whether they were new.
    private var last: Key?
    private var wasNew = false

    /// Somebody has something to do.
    mutating func join(_ key: Key) {
        if members.insert(key).inserted { new.append(key) }
    }

    /// The next of those who wait; who does not is let go of.
    mutating func next(_ waits: (Key) -> Bool) -> Key? {
        // Nobody has two turns in a row while others wait.
        if wasNew, served.first != last, let key = nextServed(waits) { return key }
        guard let key = Self.first(of: &new, &members, waits) else { return nextServed(waits) }
        wasNew = true
        last = key
        served.append(key)
        return key
    }

    private mutating func nextServed(_ waits: (Key) -> Bool) -> Key? {
        guard let key = Self.first(of: &served, &members, waits) else { return nil }
        wasNew = false
        last = key
        served.append(key)
        return key
    }

    /// Takes it off the list, with all before it.
    private static func first(of list: inout [Key], _ members: inout Set<Key>, _ waits: (Key) -> Bool) -> Key? {
        var passed = 0
        defer { list.removeFirst(passed) }
        for key in list {
            passed += 1
            if waits(key) { return key }
            members.remove(key)
        }
        return nil
    }
}
