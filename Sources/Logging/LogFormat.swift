/// What a log line looks like.
package enum LogFormat: Equatable, Sendable {
    /// One JSON object a line, for machines.
    case json
    /// `time LEVEL message name=value`, for people; with ANSI colours only when asked.
    case text(colour: Bool)
}
