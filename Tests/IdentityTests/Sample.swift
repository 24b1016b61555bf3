import Crypto
@testable import Identity
import Testing
import Text

/// Values that any test may take when it does not matter which.
enum Sample {
    static let now = Timestamp(milliseconds: 1_763_870_706_789)
    static let userID = UserID(at: now, random: Array(1...10))
    static let sessionID = SessionID(random: Array(0..<16))
    static let salt = SessionSalt(random: Array(16..<32))

    static func masterKey(_ byte: UInt8 = 1) throws -> MasterKey {
        try #require(MasterKey(SecretString(Hex.encode([byte] + [UInt8](repeating: 0, count: 31)))))
    }

    static func clientID() throws -> ClientID {
        try #require(ClientID("phone-app"))
    }

    /// - Parameter refresh: nil for a session with a cookie and no grant.
    static func session(
        _ id: SessionID = sessionID, refresh: RefreshRotation? = RefreshRotation(mode: .rotating), client: String = "phone-app",
        methods: Set<AuthenticationMethod> = [.password], provider: ProviderID? = nil, device: String = "Pixel 9",
        network: NetworkPrefix? = nil, lifetime: SessionLifetime = .standard, further: [Grant] = [], at now: Timestamp = now
    ) throws -> Session {
        let clientID = try #require(ClientID(client))
        return Session(
            id: id, userID: userID, owner: SessionOwner(username: "a@b.example", emailVerified: false), clientID: clientID,
            methods: methods, provider: provider, device: DeviceDescription(device), network: network, createdAt: now,
            authenticatedAt: now, absoluteEnd: now.adding(lifetime.absolute), lastUsedAt: now, salt: salt,
            cookie: refresh == nil ? Session.Cookie(idleLife: lifetime.idle, salt: nil) : nil,
            grants: (refresh == nil ? [] : [Grant(id: .first, clientID: clientID, refresh: refresh)]) + further)
    }
}

/// SplitMix64: random tests that can be repeated with the seed that a failure names.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
