package import Crypto
package import Text

/// Marks of when a user was first asked to act for an authorization request. A continuation carries one, as `login_after=<time>.<mac>`: a sign-in
/// or a consent that is younger counts as made for this request, an older one does not.
///
/// A mark is bound to the request that it was made for and to the browser in which that was made, and is good for as long as somebody may take
/// over a page. Nobody else's mark, and none of another request, makes an old sign-in count: not one in a link that somebody else has sent.
package struct InteractionMarks: Sendable {
    /// How long a user may take.
    package static let life = Duration.seconds(30 * 60)
    package static let parameter = "login_after"

    /// The one that makes marks first.
    private let keys: [SymmetricKey]

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        var keys = [try masterKey.derive(.authorization)]
        if let other = masterKey.other { keys.append(try other.derive(.authorization)) }
        self.keys = keys
    }

    /// - Parameters:
    ///   - request: what it is bound to.
    ///   - browser: what the browser alone has.
    package func mark(at time: Timestamp, for request: Digest, in browser: String) -> String {
        "\(time.milliseconds).\(Base64URL.encode(Self.mac(time, request, browser, keys[0]).bytes))"
    }

    /// The instant that a mark names; nil for one that is not ours, of another request or browser, or too old.
    package func time(of mark: String, for request: Digest, in browser: String, at now: Timestamp) -> Timestamp? {
        let parts = mark.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 15, let number = Int64(parts[0]),
            String(number).utf8.elementsEqual(parts[0].utf8),
            let mac = Base64URL.decode(parts[1]).flatMap({ Digest($0) })
        else { return nil }
        let time = Timestamp(milliseconds: number)
        guard keys.contains(where: { Self.mac(time, request, browser, $0).matches(mac) }), now.duration(since: time) <= Self.life
        else {
            return nil
        }
        return time
    }

    private static func mac(_ time: Timestamp, _ request: Digest, _ browser: String, _ key: SymmetricKey) -> Digest {
        HMACSHA256.authenticate(Array("login_after\0\(time.milliseconds)\0\(browser)\0".utf8) + request.bytes, key: key)
    }
}
