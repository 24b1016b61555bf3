package import Crypto
package import JOSE
import Postgres
import Text

extension SigningKeyStore {
    /// What came of a rotation that was asked for.
    package enum Rotation: Equatable, Sendable {
        /// A new key is published and will sign.
        case begun(SigningKeyRecord)
        /// There was one already that waits.
        case underWay(SigningKeyRecord)
        /// There was one already that has waited for long enough, and it signs now.
        case completed(SigningKeyRecord)
        /// There is nothing to take the place of.
        case noActiveKey
    }

    /// What came of taking out a key.
    package enum Retirement: Equatable, Sendable {
        /// - Parameter successor: the key that signs in its place, if it did sign.
        case removed(SigningKeyRecord, successor: String?)
        case unknown
    }

    /// All keys, the oldest first, without opening one.
    /// - Throws: `Failure.store`.
    package func records() async throws(Failure) -> [SigningKeyRecord] {
        try await timed().records
    }

    /// The public parts of all keys, the oldest first, without a master key.
    /// - Throws: `Failure.store`.
    package func published() async throws(Failure) -> [(record: SigningKeyRecord, key: JWK)] {
        do throws(PostgresError) {
            var keys: [(SigningKeyRecord, JWK)] = []
            for row in try await pool.query(SigningKeyQueries.all, [system.statementTime.parameter]) {
                guard let record = try Self.record(row) else { continue }
                guard let key = try? JWK(parsing: JSON.parse(try row.string(3))) else { throw .unexpectedColumn(3) }
                keys.append((record, key))
            }
            return keys
        } catch {
            throw .store(error)
        }
    }

    /// The same, and the time that their instants are to be compared with; any time where there are none.
    private func timed() async throws(Failure) -> (records: [SigningKeyRecord], now: Timestamp) {
        do throws(PostgresError) {
            var (records, now): ([SigningKeyRecord], Timestamp) = ([], system.now())
            for row in try await pool.query(SigningKeyQueries.all, [system.statementTime.parameter]) {
                if let record = try Self.record(row) { records.append(record) }
                now = Timestamp(milliseconds: try row.int64(8))
            }
            return (records, now)
        } catch {
            throw .store(error)
        }
    }

    /// Begins to replace the key that signs, or goes on with it: a new key is published now, and activated by `advance` when
    /// everybody has had the time to see it.
    /// - Throws: `Failure`; `unusable` when this master key is not the one of the keys that are there, and nothing has changed.
    package func rotate(_ algorithm: SignatureAlgorithm) async throws(Failure) -> Rotation {
        // A key that is sealed with another master key would keep every copy from starting.
        _ = try await load(ensuring: [])
        let (records, now) = try await timed()
        let keys = records.filter { $0.algorithm == algorithm }
        guard keys.contains(where: { $0.state == .active }) else { return .noActiveKey }
        if let next = keys.first(where: { $0.state == .next }) {
            guard KeyRotation.activation(of: next) <= now else { return .underWay(next) }
            return try await activate(next) ? .completed(next) : try await rotate(algorithm)
        }
        let new = try await make(algorithm)
        let parameters = new.parameters(at: system.statementTime)
        let createdAt = try await changing { transaction throws(PostgresError) -> Timestamp? in
            let states = try await Self.lock(algorithm, transaction).states.values
            guard !states.contains(.next), states.contains(.active) else { return nil }
            let row = try await transaction.query(SigningKeyQueries.insertNext, parameters).first
            return try row.map { row throws(PostgresError) in Timestamp(milliseconds: try row.int64(0)) }
        }
        // Somebody else was faster.
        guard let createdAt else { return try await rotate(algorithm) }
        return .begun(SigningKeyRecord(kid: new.sealed.kid, algorithm: algorithm, state: .next, createdAt: createdAt))
    }

    /// Takes a key out of the key set at once, whatever it has signed. If it is the one that signs, the key that waits takes its
    /// place, or a new one.
    /// - Throws: `Failure`; nothing has changed then.
    package func retire(_ kid: String) async throws(Failure) -> Retirement {
        guard let record = try await records().first(where: { $0.kid == kid }) else { return .unknown }
        var new: NewSigningKey?
        if record.state == .active {
            _ = try await load(ensuring: [])
            new = try await make(record.algorithm)
        }
        let time = system.statementTime
        return try await changing { transaction throws(PostgresError) in
            let keys = try await Self.lock(record.algorithm, transaction)
            guard let state = keys.states[kid] else { return .unknown }
            _ = try await transaction.query(SigningKeyQueries.delete, [.text(kid)])
            guard state == .active else { return .removed(record, successor: nil) }
            if let next = keys.order.first(where: { keys.states[$0] == .next }) {
                _ = try await transaction.query(SigningKeyQueries.activate, [time.parameter, .text(next)])
                return .removed(record, successor: next)
            }
            // It began to sign only just now: whoever asks again finds it so.
            guard let new else { throw .unavailable }
            _ = try await transaction.query(SigningKeyQueries.insertActive, new.parameters(at: time))
            return .removed(record, successor: new.sealed.kid)
        }
    }

    /// Does what is due, and returns what was done here. Any number of copies may do so at once: each step is one copy's.
    /// - Throws: `Failure.store`.
    package func advance(_ rotation: KeyRotation) async throws(Failure) -> [KeyRotation.Step] {
        var done: [KeyRotation.Step] = []
        let (records, now) = try await timed()
        for step in rotation.steps(records, at: now) {
            switch step {
            case .replace(let key):
                // What is on record is the new key.
                if case .begun(let new) = try await rotate(key.algorithm) { done.append(.replace(new)) }
            case .activate(let key): if try await activate(key) { done.append(step) }
            case .remove(let key): if try await removeRetired(key) { done.append(step) }
            }
        }
        return done
    }

    /// False when somebody else was faster.
    private func activate(_ key: SigningKeyRecord) async throws(Failure) -> Bool {
        let time = system.statementTime.parameter
        return try await changing { transaction throws(PostgresError) in
            guard try await Self.lock(key.algorithm, transaction).states[key.kid] == .next else { return false }
            _ = try await transaction.query(SigningKeyQueries.retireActive, [time, .text(key.algorithm.rawValue)])
            return try await !transaction.query(SigningKeyQueries.activate, [time, .text(key.kid)]).isEmpty
        }
    }

    private func removeRetired(_ key: SigningKeyRecord) async throws(Failure) -> Bool {
        do throws(PostgresError) {
            return try await !pool.query(SigningKeyQueries.deleteRetired, [.text(key.kid)]).isEmpty
        } catch {
            throw .store(error)
        }
    }

    private func changing<T>(
        _ body: (Transaction) async throws(PostgresError) -> T
    ) async throws(Failure) -> T {
        do throws(PostgresError) {
            return try await pool.transaction(body)
        } catch {
            throw .store(error)
        }
    }

    /// The keys of an algorithm, which nobody else can change before the transaction ends.
    private static func lock(
        _ algorithm: SignatureAlgorithm, _ transaction: Transaction
    ) async throws(PostgresError) -> (states: [String: KeyState], order: [String]) {
        var states: [String: KeyState] = [:]
        var order: [String] = []
        // Twice: what another transaction has inserted while we waited for its locks is seen by the next statement only.
        _ = try await transaction.query(SigningKeyQueries.lock, [.text(algorithm.rawValue)])
        for row in try await transaction.query(SigningKeyQueries.lock, [.text(algorithm.rawValue)]) {
            let kid = try row.string(0)
            states[kid] = KeyState(rawValue: try row.string(1))
            order.append(kid)
        }
        return (states, order)
    }

    private static func record(_ row: Row) throws(PostgresError) -> SigningKeyRecord? {
        guard let algorithm = SignatureAlgorithm(rawValue: try row.string(1)),
            let state = KeyState(rawValue: try row.string(4))
        else { return nil }
        return SigningKeyRecord(
            kid: try row.string(0), algorithm: algorithm, state: state, createdAt: Timestamp(milliseconds: try row.int64(5)),
            activatedAt: try row.optionalInt64(6).map { Timestamp(milliseconds: $0) },
            retiredAt: try row.optionalInt64(7).map { Timestamp(milliseconds: $0) })
    }
}
