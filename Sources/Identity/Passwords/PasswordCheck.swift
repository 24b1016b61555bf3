import Crypto

/// What the check of a password against a stored hash does. While users have bcrypt hashes it takes the work of one argon2id hash and of
/// one of bcrypt at the highest cost of any user, whatever is stored, so that its time does not tell what is.
struct PasswordCheck: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        /// Against a hash.
        case bcrypt(String)
        case argon2id(String)
        /// For nothing, at a cost of bcrypt's.
        case bcryptWork(Int)
    }

    let steps: [Step]
    /// The step that decides; nil where nothing is stored.
    let decisive: Int?

    /// - Parameters:
    ///   - importedCost: the highest cost of any user's bcrypt hash; nil for none.
    ///   - decoy: an argon2id hash that no password has.
    init(of stored: String?, importedCost: Int?, decoy: String) {
        guard let stored, Bcrypt.made(stored) else {
            steps = [.argon2id(stored ?? decoy)] + (importedCost.map { [.bcryptWork($0)] } ?? [])
            decisive = stored == nil ? nil : 0
            return
        }
        decisive = 0
        guard let importedCost else {
            steps = [.bcrypt(stored)]
            return
        }
        // Each cost is twice the work of the one below, so these make up the difference.
        let own = Bcrypt.cost(of: stored) ?? importedCost
        steps = [.bcrypt(stored)] + (own..<max(own, importedCost)).map { .bcryptWork($0) } + [.argon2id(decoy)]
    }

    /// Whether it is the password.
    func run(_ password: [UInt8], _ algorithm: Argon2id) throws(CryptoError) -> Bool {
        var matches = false
        for (index, step) in steps.enumerated() {
            let isRight: Bool
            switch step {
            case .bcrypt(let hash): isRight = try Bcrypt.verify(password: password, against: hash)
            case .argon2id(let hash): isRight = try algorithm.verify(password: password, against: hash)
            case .bcryptWork(let cost): isRight = try Bcrypt.work(password: password, cost: cost)
            }
            if index == decisive { matches = isRight }
        }
        return matches
    }
}
