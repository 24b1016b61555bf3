import HTTP
import Identity
import Routing
import Text

extension OAuth {
    /// What a gateway says along with a request that it has verified: in the query, or in fields that begin with `X-Verify-`.
    ///
    /// The requirements of all places count, so that nobody but the gateway can relax them. One that is not understood is refused, because
    /// a gateway that has misspelled it would let everybody in.
    struct VerifyRequest {
        static let prefix: StaticString = "x-verify-"

        private(set) var requirement = AccessRequirement()
        /// Of the answer that lets a request pass.
        private(set) var status = Status.noContent
        /// The values of `X-Verify-Authorization`.
        private(set) var credentials: [String] = []

        /// Nil when it is not understood.
        /// - Parameter hasQuery: whether the query is the gateway's; else it is that of the request that it has verified.
        init?(_ head: RequestHead, hasQuery: Bool) {
            for field in head.fields(beginningWith: Self.prefix) {
                let name = field.name.dropFirst(Self.prefix.utf8CodeUnitCount)
                if name == "authorization" {
                    credentials.append(field.value)
                } else if !take(name, field.value) {
                    return nil
                }
            }
            guard hasQuery, head.query != nil else { return }
            guard let fields = try? FormFields(parsing: head.queryBytes) else { return nil }
            let known: [StaticString] = ["scope", "audience", "role", "status"]
            guard fields.names.allSatisfy({ name in known.contains { $0.description == name } }) else { return nil }
            for name in known {
                if let value = fields.value(name), !take(Substring(name.description), value) { return nil }
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
