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
    /// - Parameter held: who is passed over for now, and keeps the place.
    mutating func next(but held: Key? = nil, _ waits: (Key) -> Bool) -> Key? {
        // Nobody has two turns in a row while others wait.
        if wasNew, served.first != last, let key = nextServed(held, waits) { return key }
        guard let key = Self.first(of: &new, &members, held, waits) else { return nextServed(held, waits) }
        wasNew = true
        last = key
        served.append(key)
        return key
    }

    private mutating func nextServed(_ held: Key?, _ waits: (Key) -> Bool) -> Key? {
        guard let key = Self.first(of: &served, &members, held, waits) else { return nil }
        wasNew = false
        last = key
        served.append(key)
        return key
    }

    /// Takes it off the list, with all before it that do not wait.
    private static func first(of list: inout [Key], _ members: inout Set<Key>, _ held: Key?, _ waits: (Key) -> Bool) -> Key? {
        var (passed, kept, found): (Int, [Key], Key?) = (0, [], nil)
        for key in list {
            passed += 1
            if !waits(key) {
                members.remove(key)
            } else if key == held {
                kept.append(key)
            } else {
                found = key
                break
            }
        }
        list.replaceSubrange(..<passed, with: kept)
        return found
    }
}
