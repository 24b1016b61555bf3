import HTTP

extension RequestHead {
    /// Whether `Accept` names a type itself, and wants JSON no more than it (RFC 9110 §12.5.1): for a type of answer that takes the place of JSON
    /// only if it is asked for. What takes every type names none.
    func prefers(_ type: StaticString) -> Bool {
        // As nearly nobody does: what else there is, is not read.
        guard withValue(of: .accept, { Self.names(type, $0) }) ?? isRepeated(.accept) else { return false }
        let ranges = values(of: .accept).flatMap { $0.split(separator: ",") }.map { WeightedRange($0) }
        func weight(_ name: String) -> Int? { ranges.filter { $0.name == name }.map(\.weight).max() }
        guard let own = weight(type.description), own > 0 else { return false }
        return own >= weight("application/json") ?? weight("application/*") ?? weight("*/*") ?? 0
    }

    /// Whether the text is anywhere in a value.
    private static func names(_ type: StaticString, _ value: Span<UInt8>) -> Bool {
        let length = type.utf8CodeUnitCount
        var start = 0
        while start + length <= value.count {
            if value.equalsIgnoringCase(type, in: start..<start + length) { return true }
            start += 1
        }
        return false
    }
}
