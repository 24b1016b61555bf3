import Redis
import Text

/// Where ends are written for who follows them: a stream in Redis, bounded in length and life.
package struct RevocationLog: Sendable {
    package static let key = "feed:revocations"
    /// How long it lasts that nobody writes to or follows.
    package static let life: Duration = .seconds(86_400)

    enum Field {
        static let mark = "m"
        static let audiences = "a"
        static let name = "n"
        static let data = "d"
    }

    private let installation: Installation
    private let length: Int
    private let system: SystemContext

    /// - Parameter length: how many ends it keeps, about.
    package init(installation: Installation, length: Int, system: SystemContext) {
        self.installation = installation
        self.length = length
        self.system = system
    }

    /// What the stream is to hold of an end.
    struct Entry {
        /// What `XADD` takes behind the key, for a new entry. To repeat it, the id that it got is in the place of its own, and it is added
        /// anew if it is not there: a new connection may lead to a server that lacks it, or to the same one.
        let words: [[UInt8]]

        private static let idIndex = 3

        /// For scripts that tell of an end: writes it to the stream, and returns its id.
        static let telling = """
            local function is_repeated(words) return words[\(idIndex + 1)] ~= '*' end

            local function tell(stream, words)
                local id, life = words[\(idIndex + 1)], \(RevocationLog.life.wholeMilliseconds)
                if is_repeated(words) and #redis.call('XRANGE', stream, id, id) > 0 then return id end
                words[\(idIndex + 1)] = '*'
                id = redis.call('XADD', stream, unpack(words))
                -- Each time would be a write, and a minute is nothing to its life.
                if redis.call('PTTL', stream) < life - 60000 then redis.call('PEXPIRE', stream, life) end
                return id
            end

            """

        private static let script = RedisScript(name: "tell", source: telling + "return tell(KEYS[1], ARGV)", whenFull: true)

        /// - Parameter reply: the id that the script has returned.
        func repeated(after reply: RedisReply) -> Entry {
            guard let id = reply.text else { return self }
            var words = words
            words[Self.idIndex] = Array(id.utf8)
            return Entry(words: words)
        }

        fileprivate var write: LastingWrite {
            LastingWrite(command) { reply in repeated(after: reply).command }
        }

        private var command: RedisCommand {
            var command = RedisCommand("EVAL", Self.script.source, "1", RevocationLog.key)
            for word in words { command.append(word) }
            return command
        }
    }

    /// What writes that a session, or all tokens of a client, have ended, with the tokens of these records.
    func write(_ revocation: Revocation, with records: [[UInt8]]) -> LastingWrite {
        entry(revocation, with: records).write
    }

    /// The entry for an end: audiences and last expiry are those of the tokens of these records.
    func entry(_ revocation: Revocation, with records: [[UInt8]]) -> Entry {
        let tokens = records.compactMap { StoredAccessToken($0, in: installation) }
        var audiences: Set<String> = []
        for token in tokens { audiences.formUnion(token.audienceTexts(in: installation)) }
        return entry(
            revocation, audiences: audiences.isEmpty ? [installation.audience] : audiences, until: tokens.map(\.expiresAt).max())
    }

    /// What writes that tokens have ended, each by itself.
    func writes(_ records: [[UInt8]]) -> [LastingWrite] {
        records.compactMap { StoredAccessToken($0, in: installation) }.map { token in
            entry(.token(RevokedTokenFacts(token)), audiences: token.audienceTexts(in: installation), until: token.expiresAt)
                .write
        }
    }

    private func entry(_ revocation: Revocation, audiences: Set<String>, until end: UInt32?) -> Entry {
        let texts = ["MAXLEN", "~", String(length), "*", Field.mark].map { Array($0.utf8) }
        let fields = [Field.audiences, audiences.sorted().joined(separator: "\n"), Field.name, revocation.name, Field.data]
        let data = revocation.data(until: end, at: system.now())
        return Entry(words: texts + [installation.mark] + fields.map { Array($0.utf8) } + [data])
    }
}

extension StoredAccessToken {
    fileprivate func audienceTexts(in installation: Installation) -> Set<String> {
        guard audienceCount > 0 else { return [installation.audience] }
        var texts: Set<String> = []
        forEachAudience { texts.insert(Principal.unescaped(bytes[$0])) }
        return texts
    }
}
