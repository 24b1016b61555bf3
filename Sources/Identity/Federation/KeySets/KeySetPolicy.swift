/// How long key sets of other providers are good, and how often they are asked for.
package struct KeySetPolicy: Sendable {
    /// A set is fetched anew no sooner and no later than this after the last time, whatever its server says.
    package var lifetimes: ClosedRange<Duration> = .seconds(15 * 60) ... .seconds(24 * 3600)
    /// When its server says nothing.
    package var usualLifetime: Duration = .seconds(3600)
    /// How long keys are used beyond their lifetime while no newer ones can be had.
    package var staleLifetime: Duration = .seconds(24 * 3600)
    /// How often a key that is not in the set may be a reason to fetch it.
    package var refetchInterval: Duration = .seconds(60)
    /// How long who asks for a key waits for a fetch.
    package var patience: Duration = .seconds(6)
    /// Pauses after a failure while there are no keys to use.
    package var urgentPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
    /// Pauses after a failure while there are.
    package var pauses: ClosedRange<Duration> = .seconds(15) ... .seconds(5 * 60)

    package init() {}
}
