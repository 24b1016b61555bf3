/// Where what is in a stored record of an access token. The texts are as JSON has them, `scope` and `methods` shortened by `CommonWords`.
struct StoredAccessToken {
    let bytes: [UInt8]
    let flags: UInt8
    let tokenID: Range<Int>
    let issuedAt: UInt32
    let expiresAt: UInt32
    /// Of a user's.
    let userID: Range<Int>
    let sessionID: Range<Int>
    let grant: UInt32
    let authenticatedAt: UInt32
    let client: Range<Int>
    let username: Range<Int>
    let scope: Range<Int>
    let methods: Range<Int>
    let confirmation: Range<Int>
    let audienceCount: Int
    /// The first of them, behind its length.
    let audiences: Int
    /// Further members, each with a comma before it.
    let members: Range<Int>

    var isUser: Bool { flags & AccessTokenRecord.Flags.isUser != 0 }

    /// What it is good for in full, with blanks between.
    var scopes: ArraySlice<UInt8> {
        var text: [UInt8] = []
        text.append(words: bytes[scope])
        return text[...]
    }

    /// Nil for what is no record of this version and this installation. It takes no memory.
    init?(_ bytes: [UInt8], in installation: Installation) {
        var position = 0
        var isIntact = true
        func take(_ count: Int) -> Range<Int> {
            guard isIntact, count <= bytes.count - position else {
                isIntact = false
                return 0..<0
            }
            position += count
            return position - count..<position
        }
        func number(_ size: Int) -> UInt32 {
            var number: UInt32 = 0
            for index in take(size) { number = number << 8 | UInt32(bytes[index]) }
            return number
        }
        func compact() -> UInt32 {
            var number: UInt32 = 0
            while isIntact, position < bytes.count {
                let byte = bytes[position]
                position += 1
                number = number << 7 | UInt32(byte & 0x7f)
                if byte < 0x80 { return number }
            }
            isIntact = false
            return 0
        }
        func block() -> Range<Int> { take(Int(compact())) }
        guard number(1) == AccessTokenRecord.version else { return nil }
        flags = UInt8(truncatingIfNeeded: number(1))
        let mark = take(Installation.markLength)
        tokenID = take(16)
        issuedAt = number(4)
        expiresAt = issuedAt &+ compact()
        let isUser = flags & AccessTokenRecord.Flags.isUser != 0
        userID = take(isUser ? 16 : 0)
        sessionID = take(isUser ? SessionID.byteCount : 0)
        grant = flags & AccessTokenRecord.Flags.hasGrant != 0 ? number(4) : 0
        authenticatedAt = isUser ? issuedAt &- compact() : 0
        client = block()
        username = block()
        scope = block()
        methods = block()
        confirmation = block()
        audienceCount = Int(compact())
        audiences = position
        var seen = 0
        while isIntact, seen < audienceCount {
            _ = block()
            seen += 1
        }
        guard isIntact else { return nil }
        for (index, byte) in zip(mark, installation.mark) where bytes[index] != byte { return nil }
        members = position..<bytes.count
        self.bytes = bytes
    }

    /// Calls `body` with where each audience is; none where it is the installation's own.
    func forEachAudience(_ body: (Range<Int>) -> Void) {
        var position = audiences
        for _ in 0..<audienceCount { body(audience(at: &position)) }
    }

    /// Where an audience is whose length is at a position, which is behind it afterwards.
    func audience(at position: inout Int) -> Range<Int> {
        var length = 0
        var isLast = false
        while !isLast {
            length = length << 7 | Int(bytes[position] & 0x7f)
            isLast = bytes[position] < 0x80
            position += 1
        }
        position += length
        return position - length..<position
    }
}
