/// How long key sets of other providers are good, and how often they are asked for.
package struct KeySetPolicy: Sendable {
    /// A set is fetched anew no sooner and no later than this after the last time, whatever its server says.
    package var lifetimes: ClosedRange<Duration> = .seconds(15 * 60) ... .seconds(24 * 3600)
    /// When its server says nothing.
    package var usualLifetime: Duration = .seconds(3600)
    /// How long keys are used beyond their lifetime while no newer ones can be had.
    package var staleLifetime: Duration = .seconds(24 * 3600)
    /// How often a key that is not in the set may be a reason to fetch it, in the long run.
    package var refetchInterval: Duration = .seconds(60)
    /// How often at once, so that a made-up key does not stand in the way of one that is new.
    package var refetchBurst = 5
    /// Keys that are remembered not to be in the set, for as long as the interval.
    package var absentKeyLimit = 64
    /// How long after they came keys are used that another copy, or a process before this one, has fetched; never longer than a copy of our own would be.
    package var rememberedLifetime: Duration = .seconds(24 * 3600)
    /// How long who asks for a key waits for a fetch.
    package var patience: Duration = .seconds(6)
    /// Pauses after a failure while there are no keys to use.
    package var urgentPauses: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
    /// Pauses after a failure while there are.
    package var pauses: ClosedRange<Duration> = .seconds(15) ... .seconds(5 * 60)

    package init() {}
}
