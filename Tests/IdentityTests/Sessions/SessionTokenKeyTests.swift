import Crypto
import Identity
import Testing
import Text

@Suite struct SessionTokenKeyTests {
    @Test func `the mac is over kind, session, generation and salt`() throws {
        let master = try Sample.masterKey()
        let message = [1] + Array(0..<16) + [0x01, 0x02, 0x03, 0x04] + Array(16..<32) as [UInt8]
        let expected = HMACSHA256.authenticate(message, key: try master.derive(.sessionTokens))
        let mac = try SessionTokenKey(master).mac(.refreshToken, Sample.sessionID, generation: 0x0102_0304, salt: Sample.salt)
        #expect(mac == expected)
    }

    @Test func `no two kinds, generations, sessions or salts share a mac`() throws {
        let key = try SessionTokenKey(try Sample.masterKey())
        var macs: Set<Digest> = []
        for kind in SessionTokenKey.Kind.allCases {
            for generation in [0, 1, 256, .max] as [UInt32] {
                for first in [0, 1] as [UInt8] {
                    let session = SessionID(random: [first] + [UInt8](repeating: 0, count: 15))
                    let salt = SessionSalt(random: [1 - first] + [UInt8](repeating: 0, count: 15))
                    macs.insert(key.mac(kind, session, generation: generation, salt: salt))
                    macs.insert(key.mac(kind, session, generation: generation, salt: Sample.salt))
                }
            }
        }
        #expect(macs.count == SessionTokenKey.Kind.allCases.count * 4 * 2 * 2)
    }
}
