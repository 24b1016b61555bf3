import Crypto
import Text

/// The users of a batch, each with the id that it gets, and none of them in the way of another.
struct ImportBatch {
    struct Entry {
        let number: Int
        let id: UserID
        let user: TransferUser
    }

    private(set) var users: [Entry] = []
    private(set) var hasNumbers = false
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

    var halves: (ImportBatch, ImportBatch) {
        var (first, second) = (ImportBatch(at: now), ImportBatch(at: now))
        let middle = users.count / 2
        first.users = Array(users[..<middle])
        second.users = Array(users[middle...])
        (first.hasNumbers, second.hasNumbers) = (hasNumbers, hasNumbers)
        return (first, second)
    }
}
