import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// What a gateway says along with a request that it has verified: in the query, or in fields that begin with `X-Verify-`.
    ///
    /// The requirements of all places count, so that nobody but the gateway can relax them. One that is not understood is refused, because
    /// a gateway that has misspelled it would let everybody in.
    ///
    /// Behind a path that was appended the query is that of the request, and requires nothing. If it looks like a requirement and the gateway
    /// has none in fields, the gateway may have put it there: nobody can tell, so nobody passes.
    struct VerifyRequest {
        static let prefix: StaticString = "x-verify-"
        private static let known: [StaticString] = ["scope", "audience", "role", "status"]

        private(set) var requirement = AccessRequirement()
        /// Of the answer that lets a request pass.
        private(set) var status = Status.noContent
        /// The values of `X-Verify-Authorization`.
        private(set) var credentials: [String] = []

        /// Nil when it is not understood.
        /// - Parameter hasQuery: whether the query is the gateway's; else it is that of the request that it has verified.
        init?(_ head: RequestHead, hasQuery: Bool) {
            var hasWishes = false
            for field in head.fields(beginningWith: Self.prefix) {
                let name = field.name.dropFirst(Self.prefix.utf8CodeUnitCount)
                if name == "authorization" {
                    credentials.append(field.value)
                } else if take(name, field.value) {
                    hasWishes = true
                } else {
                    return nil
                }
            }
            guard head.query != nil else { return }
            guard hasQuery else {
                if !hasWishes, Self.mayRequire(head.queryBytes) { return nil }
                return
            }
            guard let fields = try? FormFields(parsing: head.queryBytes) else { return nil }
            guard fields.names.allSatisfy({ name in Self.known.contains { $0.description == name } }) else { return nil }
            for name in Self.known {
                if let value = fields.value(name), !take(Substring(name.description), value) { return nil }
            }
        }

        /// Whether a requirement is named anywhere, be it that one query was put behind another.
        private static func mayRequire(_ query: [UInt8]) -> Bool {
            let separators = "&;?".utf8
            return query.split(whereSeparator: { separators.contains($0) }).contains { piece in
                let written = String(decoding: piece.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
                let name = (PercentEncoding.decode(written) ?? written).lowercased()
                return known.contains { $0.description == name }
            }
        }

        private mutating func take(_ name: Substring, _ value: String) -> Bool {
            let words = value.split(separator: " ").map(String.init)
            guard !words.isEmpty, words.allSatisfy(\.isAudience) else { return false }
            switch name {
            case "scope": requirement.scopes += words
            case "audience": requirement.audiences += words
            case "role": requirement.roles += words
            case "status" where words == ["200"]: status = .ok
            case "status" where words == ["204"]: break
            default: return false
            }
            return true
        }
    }
}
