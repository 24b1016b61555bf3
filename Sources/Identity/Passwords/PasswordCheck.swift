import Crypto

/// What the check of a password against a stored hash does. While users have hashes of other systems it takes the work of one argon2id hash
/// and, of each kind that there is, of the dearest of any user, whatever is stored, so that its time does not tell what is. The limits of
/// imported hashes bound it.
struct PasswordCheck: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        /// Against a hash.
        case bcrypt(String)
        case argon2id(String)
        case foreign(ForeignHash)
        /// For nothing, at a cost.
        case work(HashWork, Int)
    }

    let steps: [Step]
    /// The step that decides; nil where nothing is stored.
    let decisive: Int?

    /// - Parameters:
    ///   - imported: nil where nothing is to be hidden.
    ///   - decoy: an argon2id hash that no password has.
    init(of stored: String?, imported: ImportedHashes?, decoy: String) {
        let own = Self.own(stored, decoy)
        decisive = stored == nil ? nil : 0
        guard let imported, !imported.highest.isEmpty else {
            steps = [own]
            return
        }
        var steps = [own]
        let work = stored.flatMap { HashWork.of($0) }
        for kind in HashWork.allCases {
            guard let highest = imported.highest[kind] else { continue }
            let done = work?.kind == kind ? work?.cost : nil
            switch (kind, done) {
            // Each cost is twice the work of the one below, so these make up the difference.
            case (.bcrypt, let done?): steps += (done..<max(done, highest)).map { .work(.bcrypt, $0) }
            case (.bcrypt, nil):
                // One that cannot be checked has its work done as a stranger's.
                steps.append(.work(.bcrypt, highest))
            case (_, let done): if highest > done ?? 0 { steps.append(.work(kind, highest - (done ?? 0))) }
            }
        }
        if case .argon2id = own {
            self.steps = steps
        } else {
            self.steps = steps + [.argon2id(decoy)]
        }
    }

    private static func own(_ stored: String?, _ decoy: String) -> Step {
        guard let stored else { return .argon2id(decoy) }
        if Bcrypt.made(stored) { return .bcrypt(stored) }
        if let hash = try? ForeignHash(encoded: stored) { return .foreign(hash) }
        return .argon2id(stored)
    }

    /// Whether it is the password.
    func run(_ password: [UInt8], _ algorithm: Argon2id, _ limits: ForeignHash.Limits) throws(CryptoError) -> Bool {
        var matches = false
        for (index, step) in steps.enumerated() {
            var isRight = false
            switch step {
            case .bcrypt(let hash): isRight = try Bcrypt.verify(password: password, against: hash)
            case .argon2id(let hash): isRight = try algorithm.verify(password: password, against: hash)
            case .foreign(let hash): isRight = try hash.isRight(password, limits: limits)
            case .work(let kind, let cost): try kind.perform(cost, password: password, limits: limits)
            }
            if index == decisive { matches = isRight }
        }
        return matches
    }
}
