import HTTP

extension RequestHead {
    /// Whether `Accept` names a type itself, and does not refuse it: for a type of answer that comes only if it is asked for. What takes every
    /// type names none, so types need no weighing.
    func accepts(_ type: StaticString) -> Bool {
        values(of: .accept).contains { field in
            field.split(separator: ",").contains { range in
                let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                return parts.first == type.description && !parts.dropFirst().contains("q=0")
            }
        }
    }
}
