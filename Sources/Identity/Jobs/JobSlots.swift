/// How many jobs a copy may carry out at once, by kind and in all.
struct JobSlots: Sendable {
    private let limit: Int
    private(set) var taken = 0
    private var takenOfKind: [JobKind: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes as many as there are, at most those that the kind may have.
    mutating func take(_ kind: JobKind, atMost count: Int) -> Int {
        let free = max(0, min(count - takenOfKind[kind, default: 0], limit - taken))
        taken += free
        takenOfKind[kind, default: 0] += free
        return free
    }

    mutating func give(_ count: Int, of kind: JobKind) {
        taken -= count
        takenOfKind[kind, default: 0] -= count
    }

    func isEmpty(_ kind: JobKind) -> Bool {
        takenOfKind[kind, default: 0] == 0
    }
}
