import Crypto
import Text

/// The users of a batch, each with the id that it gets, and none of them in the way of another.
struct ImportBatch: Sendable {
    struct Entry: Sendable {
        let number: Int
        let id: UserID
        let user: TransferUser
    }

    private(set) var users: [Entry] = []
    private(set) var hasNumbers = false
    private var hasIDs = false
    let now: Timestamp

    private var aliases: Set<UserAlias> = []
    private var ids: Set<UserID> = []
    private var emails: Set<String> = []
    private var identities: Set<String> = []
    private var phones: Set<String> = []
    private var usernames: Set<String> = []
    private var numbers: Set<Int64> = []

    init(at now: Timestamp) {
        self.now = now
    }

    /// - Returns: why not, if it is not added.
    mutating func add(_ user: TransferUser, number: Int) -> TransferProblem? {
        let id = user.id ?? UserID(at: now, random: SecureRandom.bytes(10))
        let keys = user.identities.map { "\($0.provider.text)\n\($0.subject)" }
        let email = user.claimsAddress ? nil : user.email?.normalized
        let isNew =
            !ids.contains(id) && !user.aliases.contains { aliases.contains($0) } && email.map { !emails.contains($0) } ?? true
            && !keys.contains { identities.contains($0) } && Set(keys).count == keys.count
            && Set(user.aliases.map(\.source)).count == user.aliases.count
            && user.phoneNumber.map { !phones.contains($0) } ?? true
            && user.profile.map { !usernames.contains($0.username.folded) } ?? true
            && user.profile?.number.map { !numbers.contains($0) } ?? true
        guard isNew else {
            return TransferProblem(.duplicate, TransferProblem.Reason.duplicate.words)
        }
        ids.insert(id)
        if user.id != nil { hasIDs = true }
        aliases.formUnion(user.aliases)
        identities.formUnion(keys)
        if let email { emails.insert(email) }
        if let number = user.phoneNumber { phones.insert(number) }
        if let profile = user.profile { usernames.insert(profile.username.folded) }
        if let number = user.profile?.number {
            numbers.insert(number)
            hasNumbers = true
        }
        users.append(Entry(number: number, id: id, user: user))
        return nil
    }

    /// Whether nobody of the one is in the way of anybody of the other.
    func isApart(from other: ImportBatch) -> Bool {
        ids.isDisjoint(with: other.ids) && aliases.isDisjoint(with: other.aliases) && emails.isDisjoint(with: other.emails)
            && identities.isDisjoint(with: other.identities) && phones.isDisjoint(with: other.phones)
            && usernames.isDisjoint(with: other.usernames) && numbers.isDisjoint(with: other.numbers)
            && !isForeign(to: other) && !other.isForeign(to: self)
    }

    /// Whether an id elsewhere is the id of somebody else in another batch.
    private func isForeign(to other: ImportBatch) -> Bool {
        hasIDs || other.hasIDs ? aliases.contains { UserID($0.id).map { other.ids.contains($0) } ?? false } : false
    }

    /// - Returns: those of other numbers, and those of these.
    func split(at numbers: Set<Int>) -> (rest: ImportBatch, chosen: ImportBatch) {
        var (rest, chosen) = (ImportBatch(at: now), ImportBatch(at: now))
        for entry in users {
            if numbers.contains(entry.number) { chosen.users.append(entry) } else { rest.users.append(entry) }
        }
        return (rest, chosen)
    }

    var halves: (ImportBatch, ImportBatch) {
        var (first, second) = (ImportBatch(at: now), ImportBatch(at: now))
        let middle = users.count / 2
        first.users = Array(users[..<middle])
        second.users = Array(users[middle...])
        (first.hasNumbers, second.hasNumbers) = (hasNumbers, hasNumbers)
        return (first, second)
    }
}
