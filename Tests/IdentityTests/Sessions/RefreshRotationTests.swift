import Identity
import Testing
import Text

@Suite struct RefreshRotationTests {
    private let now = Sample.now
    /// Generation 5 gave way to 6.
    private let rotated = RefreshRotation(
        mode: .rotating, generation: 6, lastStep: RefreshRotation.Step(parent: 5, at: Sample.now)
    )

    @Test(arguments: [Duration.zero, .seconds(3), .seconds(86_400 * 60)])
    func `the current generation rotates at any time`(age: Duration) {
        #expect(rotated.decision(presenting: 6, at: now.adding(age), policy: .standard) == .rotate(next: 7))
        #expect(rotated.decision(presenting: 6, at: now.adding(age), policy: .strict) == .rotate(next: 7))
    }

    @Test(
        arguments: [
            (-3_600_000, .replay(successor: 6)), (-1, .replay(successor: 6)), (0, .replay(successor: 6)),
            (1, .replay(successor: 6)),
            (59_999, .replay(successor: 6)), (60_000, .recover(next: 7, killing: 6)), (60_001, .recover(next: 7, killing: 6)),
            (86_399_999, .recover(next: 7, killing: 6)), (86_400_000, .reuse), (86_400_001, .reuse), (8_640_000_000, .reuse),
        ] as [(Int, RefreshRotation.Decision)]
    )
    func `the parent is replayed, then recovered, then reuse`(age: Int, expected: RefreshRotation.Decision) {
        let later = now.adding(.milliseconds(age))
        #expect(rotated.decision(presenting: 5, at: later, policy: .standard) == expected)
    }

    @Test(arguments: [-1, 0, 1, 59_999, 86_399_999])
    func `in strict mode the parent is reuse at once, even by a clock that runs behind`(age: Int) {
        let later = now.adding(.milliseconds(age))
        #expect(rotated.decision(presenting: 5, at: later, policy: .strict) == .reuse)
    }

    @Test func `with a recovery that is no longer than the grace there is none`() {
        let policy = RefreshPolicy(grace: .seconds(10), recovery: .seconds(10))
        #expect(rotated.decision(presenting: 5, at: now.adding(.milliseconds(9_999)), policy: policy) == .replay(successor: 6))
        #expect(rotated.decision(presenting: 5, at: now.adding(.milliseconds(10_000)), policy: policy) == .reuse)
    }

    @Test func `with a grace of zero the parent is recovered from the start`() {
        let policy = RefreshPolicy(grace: .zero, recovery: .seconds(10))
        #expect(rotated.decision(presenting: 5, at: now, policy: policy) == .recover(next: 7, killing: 6))
    }

    @Test(arguments: [0, 1, 4] as [UInt32])
    func `anything older than the parent is reuse`(generation: UInt32) {
        #expect(rotated.decision(presenting: generation, at: now, policy: .standard) == .reuse)
    }

    @Test func `a generation that a recovery skipped is reuse`() throws {
        let later = now.adding(.seconds(61))
        let decision = rotated.decision(presenting: 5, at: later, policy: .standard)
        let recovered = try #require(rotated.applying(decision, at: later))
        #expect(recovered.generation == 7)
        #expect(recovered.decision(presenting: 6, at: later, policy: .standard) == .reuse)
    }

    @Test func `two recoveries at once agree on one successor`() throws {
        let later = now.adding(.seconds(61))
        let recovered = try #require(rotated.applying(.recover(next: 7, killing: 6), at: later))
        #expect(recovered.decision(presenting: 5, at: later, policy: .standard) == .replay(successor: 7))
        #expect(recovered.decision(presenting: 7, at: later, policy: .standard) == .rotate(next: 8))
    }

    @Test func `a second lost response can be recovered like the first`() throws {
        let later = now.adding(.seconds(86_000))
        let recovered = try #require(rotated.applying(.recover(next: 7, killing: 6), at: later))
        let evenLater = later.adding(.seconds(86_000))
        #expect(recovered.decision(presenting: 5, at: evenLater, policy: .standard) == .recover(next: 8, killing: 7))
    }

    @Test(arguments: [7, 8, 4_000_000_000] as [UInt32])
    func `a generation ahead of the record rotates, because the record is old`(generation: UInt32) throws {
        let decision = rotated.decision(presenting: generation, at: now, policy: .strict)
        #expect(decision == .rotate(next: generation + 1))
        let after = try #require(rotated.applying(decision, at: now))
        #expect(after.lastStep == RefreshRotation.Step(parent: generation, at: now))
    }

    @Test func `a session that never rotated knows no parent`() {
        let fresh = RefreshRotation(mode: .rotating)
        #expect(fresh.generation == 1)
        #expect(fresh.decision(presenting: 0, at: now, policy: .standard) == .reuse)
        #expect(fresh.decision(presenting: 1, at: now, policy: .standard) == .rotate(next: 2))
    }

    @Test func `a static session keeps its token`() {
        let session = RefreshRotation(mode: .static)
        #expect(session.decision(presenting: 1, at: now, policy: .standard) == .keep)
        #expect(session.applying(.keep, at: now) == session)
        #expect(session.decision(presenting: 0, at: now, policy: .standard) == .reuse)
    }

    @Test func `a static session rotates from the moment the client asks for it`() throws {
        let session = RefreshRotation(mode: .static)
        let decision = session.decision(presenting: 1, at: now, policy: .standard, wantsRotation: true)
        #expect(decision == .rotate(next: 2))
        let after = try #require(session.applying(decision, at: now))
        #expect(after == RefreshRotation(mode: .rotating, generation: 2, lastStep: RefreshRotation.Step(parent: 1, at: now)))
        #expect(after.decision(presenting: 2, at: now, policy: .standard) == .rotate(next: 3))
    }

    @Test func `a static record that a failover brought back knows that the session rotates`() throws {
        let session = RefreshRotation(mode: .static)
        let decision = session.decision(presenting: 2, at: now, policy: .standard)
        #expect(decision == .rotate(next: 3))
        #expect(try #require(session.applying(decision, at: now)).mode == .rotating)
    }

    @Test func `the last generation has no successor`() {
        let almost = RefreshRotation(mode: .rotating, generation: .max - 1)
        #expect(almost.decision(presenting: .max - 1, at: now, policy: .standard) == .rotate(next: .max))
        #expect(almost.decision(presenting: .max, at: now, policy: .standard) == .reuse)
        let last = RefreshRotation(mode: .rotating, generation: .max, lastStep: RefreshRotation.Step(parent: .max - 1, at: now))
        #expect(last.decision(presenting: .max - 1, at: now, policy: .standard) == .reuse)
    }

    @Test func `reuse leaves nothing`() {
        #expect(rotated.applying(.reuse, at: now) == nil)
    }
}
