import HTTP
import Text

extension AppAPI {
    /// The JSON object in a request's body.
    struct JSONBody {
        var fields: FieldReader

        /// Without a body every field is missing.
        /// - Throws: `AppAPI.Failure.malformedJSON` for what is no JSON. Anything but an object is a problem of `fields`.
        init(_ request: Request) throws(Failure) {
            guard !request.body.isEmpty else {
                fields = FieldReader(.object(JSONObject([])))
                return
            }
            guard let value = try? JSON.parse(request.body) else { throw .malformedJSON }
            fields = FieldReader(value)
        }

        /// What has been found wrong so far.
        var issues: [Issue] {
            fields.problems.map { Issue($0) }
        }

        /// Whether every field is there and of its type; rules that look at several fields make sense only then.
        var hasRightShape: Bool {
            fields.problems.allSatisfy { problem in
                switch problem.kind {
                case .missing, .wrongType, .notAllowed, .notInteger: false
                case .tooSmall, .tooBig, .invalidFormat, .custom: true
                }
            }
        }
    }
}
