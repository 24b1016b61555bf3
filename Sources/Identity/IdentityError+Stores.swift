import Networking
package import Postgres
package import Redis

/// How a store's failure looks to who asked: nothing was decided, come back soon. What exactly failed is for the log.
extension IdentityError {
    private static let soon = Duration.seconds(1)

    package init(_ error: RedisError) {
        WaitTimes.note(fault: "Redis: \(error)")
        switch error {
        case .unavailable, .deadlineExceeded: self = .unavailable(retryAfter: Self.soon)
        case .overloaded: self = .overloaded(retryAfter: Self.soon)
        case .refused, .unexpectedReply: self = .internalFault
        }
    }

    package init(_ error: PostgresError) {
        WaitTimes.note(fault: "PostgreSQL: \(error)")
        switch error {
        case .unavailable, .deadlineExceeded: self = .unavailable(retryAfter: Self.soon)
        case .overloaded: self = .overloaded(retryAfter: Self.soon)
        case .uniqueViolation, .server, .invalidParameter, .unexpectedColumn, .invalidConnectionString: self = .internalFault
        }
    }
}

extension IdentityError: PostgresFailure {
    package init(postgres error: PostgresError) {
        self.init(error)
    }
}

/// Runs a query; its failure becomes ours.
func asking<T>(_ query: () async throws(PostgresError) -> T) async throws(IdentityError) -> T {
    do throws(PostgresError) {
        return try await query()
    } catch {
        throw IdentityError(error)
    }
}

/// Sends a command; its failure becomes ours.
func sending<T>(_ command: () async throws(RedisError) -> T) async throws(IdentityError) -> T {
    do throws(RedisError) {
        return try await command()
    } catch {
        throw IdentityError(error)
    }
}
