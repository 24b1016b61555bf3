package import Text

/// What a grant remembers of its refresh tokens, and the rule that decides what a presented one gets.
///
/// Refresh token rotation as RFC 9700 §4.14.2 asks, made safe for clients that lose a response or refresh twice at once. Only
/// two numbers and an instant are kept, because a refresh token is a mac over its generation and can be computed again.
/// `RefreshSessionScript` is the same rule in Redis; a change here is a change there.
package struct RefreshRotation: Equatable, Sendable {
    /// Whether a refresh token is for one use.
    package enum Mode: Sendable, CaseIterable {
        /// Each use of the refresh token replaces it.
        case rotating
        /// The refresh token stays until the client asks for rotation; from then on the grant is `rotating`.
        case `static`
    }

    /// The latest rotation: which generation gave way, and when.
    package struct Step: Equatable, Sendable {
        package let parent: UInt32
        package let at: Timestamp

        package init(parent: UInt32, at: Timestamp) {
            self.parent = parent
            self.at = at
        }
    }

    /// What a presented refresh token gets.
    package enum Decision: Equatable, Sendable {
        /// The refresh token gives way to generation `next`.
        case rotate(next: UInt32)
        /// The very same successor again, with a fresh access token.
        case replay(successor: UInt32)
        /// The successor never arrived: generation `next` takes its place, and the access tokens issued with the skipped
        /// generation die.
        case recover(next: UInt32, killing: UInt32)
        /// The refresh token stays.
        case keep
        /// A copy is about: the session ends, and all its tokens with it.
        case reuse
    }

    /// The generation of the first refresh token of every grant.
    package static let firstGeneration: UInt32 = 1

    package let mode: Mode
    /// The generation that is expected next.
    package let generation: UInt32
    /// `nil` until the first rotation.
    package let lastStep: Step?

    package init(mode: Mode, generation: UInt32 = firstGeneration, lastStep: Step? = nil) {
        self.mode = mode
        self.generation = generation
        self.lastStep = lastStep
    }

    /// What a refresh token of generation `presented`, whose mac has been verified, gets at the instant `now`.
    ///
    /// With `age` the time since the last rotation, the parent is replayed while `age < grace`, recovered while
    /// `grace <= age < recovery`, and reuse from `age = recovery` on: every bound belongs to the later, stricter side, so that
    /// zero means never. A clock that runs behind the one that rotated counts as `age` zero.
    ///
    /// A generation ahead of the record rotates like the current one. The mac proves that we issued it, so it is the record
    /// that is old: a Redis failover lost its last writes. Only a rotating session has later generations, hence this holds in
    /// either mode. In that window a used token of a lost generation passes as well; that is the price of not signing
    /// everybody out after a failover.
    package func decision(
        presenting presented: UInt32, at now: Timestamp, policy: RefreshPolicy, wantsRotation: Bool = false
    ) -> Decision {
        // The last number has no successor. No client gets here honestly, even at a refresh a second for a century.
        guard max(generation, presented) < .max else { return .reuse }
        if presented > generation { return .rotate(next: presented + 1) }
        if presented == generation { return mode == .static && !wantsRotation ? .keep : .rotate(next: generation + 1) }
        guard let lastStep, presented == lastStep.parent else { return .reuse }
        let age = max(.zero, now.duration(since: lastStep.at))
        if age < policy.grace { return .replay(successor: generation) }
        if age < policy.recovery { return .recover(next: generation + 1, killing: generation) }
        return .reuse
    }

    /// The state after a decision; `nil` when the session is over.
    ///
    /// A recovery counts as a rotation of the same parent at `now`: two recoveries at once agree on one successor, and a
    /// second lost response can be recovered like the first.
    package func applying(_ decision: Decision, at now: Timestamp) -> RefreshRotation? {
        switch decision {
        case .rotate(let next):
            RefreshRotation(mode: .rotating, generation: next, lastStep: Step(parent: next - 1, at: now))
        case .recover(let next, killing: _):
            RefreshRotation(mode: mode, generation: next, lastStep: lastStep.map { Step(parent: $0.parent, at: now) })
        case .replay, .keep:
            self
        case .reuse:
            nil
        }
    }
}

/// How forgiving the refresh rule is to a client that presents the refresh token it had before.
package struct RefreshPolicy: Equatable, Sendable {
    /// For this long after a rotation the parent gets the same successor again. Whole milliseconds.
    package let grace: Duration
    /// For this long after a rotation, grace included, the parent gets a new successor instead of the one that nobody used.
    /// Whole milliseconds; no more than the grace means that there is no recovery.
    package let recovery: Duration

    package init(grace: Duration, recovery: Duration) {
        self.grace = grace
        self.recovery = recovery
    }

    /// 60 seconds for retries and for two refreshes at once, 24 hours for a lost response.
    package static let standard = RefreshPolicy(grace: .seconds(60), recovery: .seconds(86_400))

    /// Every second use of a refresh token is reuse. A lost response then costs the user the session.
    package static let strict = RefreshPolicy(grace: .zero, recovery: .zero)
}
