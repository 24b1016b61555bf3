import Crypto
import Identity
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

    static func session(
        _ kind: SessionKind = .rotating, method: SessionMethod = .password, device: String = "Pixel 9"
    ) throws -> Session {
        Session(
            id: sessionID, userID: userID, username: "a@b.example", clientID: try clientID(), kind: kind,
            method: method, device: DeviceDescription(device), salt: salt,
            lifetime: .standard, beginningAt: now
        )
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
