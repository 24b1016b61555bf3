import Text

/// The public keys of an issuer (RFC 7517 §5).
package struct JWKSet: Sendable {
    /// A key of the set that cannot be used, and why.
    package struct Skipped: Equatable, Sendable {
        /// Its place in the array.
        package let index: Int
        package let defect: JWKDefect
    }

    package static let maximumByteCount = 256 * 1024
    /// Published sets have a handful; more is an attempt to make work.
    package static let maximumKeyCount = 100

    package let keys: [JWK]
    package let skipped: [Skipped]

    /// Our own keys, to be published.
    package init(_ keys: [JWK]) {
        self.init(keys: keys, skipped: [])
    }

    private init(keys: [JWK], skipped: [Skipped]) {
        self.keys = keys
        self.skipped = skipped
    }

    /// Reads what an issuer published. A key that is broken, weak, of an unknown type or for another purpose is skipped, and so
    /// are all usable keys that share a `kid`; the others stay good.
    ///
    /// Throws `tooLarge`, or `invalidKeySet` when there is no array of keys at all or it is too long.
    package static func parse(_ bytes: [UInt8]) throws(JOSEError) -> JWKSet {
        guard bytes.count <= maximumByteCount else { throw .tooLarge }
        guard let document = try? JSON.parse(bytes), let values = document["keys"]?.arrayValue,
            values.count <= maximumKeyCount
        else { throw .invalidKeySet }
        var usable: [(index: Int, key: JWK)] = []
        var skipped: [Skipped] = []
        for (index, value) in values.enumerated() {
            do throws(JWKDefect) {
                usable.append((index, try JWK(parsing: value)))
            } catch {
                skipped.append(Skipped(index: index, defect: error))
            }
        }
        let names = Dictionary(grouping: usable.compactMap { $0.key.keyID.map { Array($0.utf8) } }) { $0 }
        var keys: [JWK] = []
        for (index, key) in usable {
            if let keyID = key.keyID, names[Array(keyID.utf8), default: []].count > 1 {
                skipped.append(Skipped(index: index, defect: .duplicateKeyID))
            } else {
                keys.append(key)
            }
        }
        return JWKSet(keys: keys, skipped: skipped.sorted { $0.index < $1.index })
    }

    /// The key of that name; `nil` when there is none.
    package func key(withID keyID: String) -> JWK? {
        keys.first { $0.hasID(keyID) }
    }

    /// The set as JSON, as it is published.
    package var rendered: [UInt8] {
        var writer = JSONWriter(capacity: 64 + 512 * keys.count)
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        for key in keys { key.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
