import Text

/// Notices who tries one password at many accounts: an address whose sign-ins fail at so many different accounts within ten minutes. No account's
/// budget sees that, and the address's own is sized for many people behind one.
///
/// It only tells; what is refused is the limits' affair. Each loop sees what comes to it.
final class SprayWatch: @unchecked Sendable {  // touched on its own loop only
    private struct Sprayer {
        var since: Timestamp
        var accounts: Set<Int> = []
        var isTold = false
    }

    static let window: Duration = .seconds(600)
    /// Addresses that are watched at once; beyond them all are begun anew.
    static let capacity = 10_000

    private var sprayers: [String: Sprayer] = [:]

    /// Takes a failure in; true when it is the one that makes a sprayer of the address, once in a window.
    /// - Parameter most: accounts at which an address may fail; zero to watch nobody.
    func failed(at account: String, from network: String, most: Int, at now: Timestamp) -> Bool {
        guard most > 0 else { return false }
        var sprayer = sprayers[network] ?? Sprayer(since: now)
        if now.duration(since: sprayer.since) >= Self.window { sprayer = Sprayer(since: now) }
        // No more than are needed to tell.
        if sprayer.accounts.count <= most { sprayer.accounts.insert(account.hashValue) }
        let isNew = !sprayer.isTold && sprayer.accounts.count > most
        if isNew { sprayer.isTold = true }
        if sprayers.count >= Self.capacity, sprayers[network] == nil { sprayers = [:] }
        sprayers[network] = sprayer
        return isNew
    }
}
