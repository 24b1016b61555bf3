import Identity
import Testing
import Text

/// Random histories of one session, with clocks that jump and with tokens of any age presented by anybody.
@Suite struct RefreshRotationPropertyTests {
    /// One step of a history, for an invariant to look at.
    private struct Step {
        let before: RefreshRotation
        let presented: UInt32
        let now: Timestamp
        let policy: RefreshPolicy
        let decision: RefreshRotation.Decision
        let after: RefreshRotation?
    }

    private static let policies: [RefreshPolicy] = [
        .standard, .strict,
        RefreshPolicy(grace: .milliseconds(5), recovery: .milliseconds(11)),
        RefreshPolicy(grace: .zero, recovery: .seconds(60)),
        RefreshPolicy(grace: .seconds(60), recovery: .zero),
    ]

    private static let jumps: [Int64] = [
        -3, 0, 0, 1, 4, 5, 6, 10, 11, 12, 59_999, 60_000, 60_001, 86_399_999, 86_400_000, 86_400_001,
    ]

    private func history(seed: UInt64, length: Int = 40) -> [Step] {
        var random = SeededGenerator(seed: seed)
        let policy = Self.policies[Int.random(in: 0..<Self.policies.count, using: &random)]
        var state = RefreshRotation(mode: Bool.random(using: &random) ? .rotating : .static)
        var now = Sample.now
        var steps: [Step] = []
        for _ in 0..<length {
            now = now.adding(.milliseconds(Self.jumps[Int.random(in: 0..<Self.jumps.count, using: &random)]))
            let offset = [0, 0, 0, 0, -1, -1, -1, -2, -3, 1][Int.random(in: 0..<10, using: &random)]
            let presented = UInt32(clamping: Int(state.generation) + offset)
            let wantsRotation = Int.random(in: 0..<4, using: &random) == 0
            let decision = state.decision(presenting: presented, at: now, policy: policy, wantsRotation: wantsRotation)
            let after = state.applying(decision, at: now)
            steps.append(
                Step(before: state, presented: presented, now: now, policy: policy, decision: decision, after: after)
            )
            guard let after else { break }
            state = after
        }
        return steps
    }

    private static let seeds: Range<UInt64> = 0..<2_000

    @Test func `generations never decrease, and rotating sessions stay so`() {
        for seed in Self.seeds {
            for step in history(seed: seed) {
                guard let after = step.after else { continue }
                #expect(after.generation >= step.before.generation, "seed \(seed)")
                #expect(step.before.mode == .static || after.mode == .rotating, "seed \(seed)")
            }
        }
    }

    @Test func `the parent is always older than the generation`() {
        for seed in Self.seeds {
            for case let after? in history(seed: seed).map(\.after) {
                guard let last = after.lastStep else { continue }
                #expect(last.parent < after.generation, "seed \(seed)")
            }
        }
    }

    @Test func `whoever is answered holds the current generation`() {
        for seed in Self.seeds {
            for step in history(seed: seed) {
                switch step.decision {
                case .rotate(let issued), .replay(successor: let issued), .recover(next: let issued, killing: _):
                    #expect(step.after?.generation == issued, "seed \(seed)")
                case .keep:
                    #expect(step.after?.generation == step.presented, "seed \(seed)")
                case .reuse:
                    #expect(step.after == nil, "seed \(seed)")
                }
            }
        }
    }

    @Test func `two simultaneous refreshes agree wherever there is a grace`() {
        for seed in Self.seeds {
            for step in history(seed: seed) where step.policy.grace > .zero {
                guard let after = step.after else { continue }
                let second = after.decision(presenting: step.presented, at: step.now, policy: step.policy)
                switch step.decision {
                case .rotate(let issued), .replay(successor: let issued), .recover(next: let issued, killing: _):
                    #expect(second == .replay(successor: issued), "seed \(seed)")
                case .keep:
                    #expect(second == .keep, "seed \(seed)")
                case .reuse:
                    Issue.record("a session survived its reuse, seed \(seed)")
                }
            }
        }
    }

    @Test func `a token is refused for good once its successor's successor exists`() {
        for seed in Self.seeds {
            var retired: UInt32 = 0
            for step in history(seed: seed) {
                if step.presented < retired { #expect(step.decision == .reuse, "seed \(seed)") }
                if case .rotate = step.decision, let parent = step.before.lastStep?.parent { retired = max(retired, parent + 1) }
            }
        }
    }

    @Test func `in strict mode nothing that is behind is ever answered`() {
        for seed in Self.seeds {
            for step in history(seed: seed) where step.policy == .strict && step.presented < step.before.generation {
                #expect(step.decision == .reuse, "seed \(seed)")
            }
        }
    }

    @Test func `the histories meet every decision`() {
        var met: Set<String> = []
        for step in Self.seeds.flatMap({ history(seed: $0) }) {
            switch step.decision {
            case .rotate: met.insert(step.presented > step.before.generation ? "ahead" : "rotate")
            case .replay: met.insert("replay")
            case .recover: met.insert("recover")
            case .keep: met.insert("keep")
            case .reuse: met.insert("reuse")
            }
        }
        #expect(met == ["ahead", "rotate", "replay", "recover", "keep", "reuse"])
    }
}
