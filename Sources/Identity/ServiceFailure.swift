import Networking
package import Postgres
package import Redis

/// Why nothing was decided, whatever was asked: a limit, a store or we ourselves stood in the way.
package enum ServiceFailure: Error, Equatable, Sendable {
    /// The budget for this is used up; nothing was looked at. It is the same whether or not there is such an account.
    case tooManyRequests(retryAfter: Duration)
    /// A store does not answer.
    case unavailable(retryAfter: Duration)
    /// More work is waiting than can be done in time; nothing was begun.
    case overloaded(retryAfter: Duration)
    /// Something that cannot be: a bug or a damaged record. The log has it under the request's id.
    case internalFault

    /// Something that cannot be, with where and what it is: the one way to make an `internalFault`, so that none is without its line in
    /// the log.
    /// - Parameter cause: without secrets and without what somebody sent.
    package static func fault(
        _ cause: String = unexpectedForm, file: StaticString = #fileID, line: UInt = #line
    ) -> ServiceFailure {
        WaitTimes.note(fault: "\(cause) (\(file):\(line))")
        return .internalFault
    }

    package static let unexpectedForm = "a record or an answer is not of the form that it must have"

    /// Whether the service has failed, and not the caller.
    package var isOurs: Bool {
        switch self {
        case .unavailable, .overloaded, .internalFault: true
        case .tooManyRequests: false
        }
    }

    private static let soon = Duration.seconds(1)

    /// What exactly failed is for the log.
    package init(redis error: RedisError) {
        WaitTimes.note(fault: "Redis: \(error)", of: .redis)
        switch error {
        case .unavailable, .deadlineExceeded: self = .unavailable(retryAfter: Self.soon)
        case .overloaded: self = .overloaded(retryAfter: Self.soon)
        case .refused, .unexpectedReply: self = .internalFault
        }
    }
}

extension ServiceFailure: PostgresFailure {
    package init(postgres error: PostgresError) {
        WaitTimes.note(fault: "PostgreSQL: \(error)", of: .postgres)
        switch error {
        case .unavailable, .deadlineExceeded: self = .unavailable(retryAfter: Self.soon)
        case .overloaded: self = .overloaded(retryAfter: Self.soon)
        case .uniqueViolation, .server, .invalidParameter, .unexpectedColumn, .invalidConnectionString: self = .internalFault
        }
    }
}

extension IdentityError: PostgresFailure {
    package init(postgres error: PostgresError) {
        self = .service(ServiceFailure(postgres: error))
    }

    package init(redis error: RedisError) {
        self = .service(ServiceFailure(redis: error))
    }
}

/// Runs a query; a failure of PostgreSQL becomes one of the service.
func mapPostgresErrors<T>(_ query: () async throws(PostgresError) -> T) async throws(IdentityError) -> T {
    do throws(PostgresError) {
        return try await query()
    } catch {
        throw IdentityError(postgres: error)
    }
}

/// Sends a command; a failure of Redis becomes one of the service.
func mapRedisErrors<T>(_ command: () async throws(RedisError) -> T) async throws(IdentityError) -> T {
    do throws(RedisError) {
        return try await command()
    } catch {
        throw IdentityError(redis: error)
    }
}

/// Runs a query of a store at which nothing but the service can fail.
func askPostgres<T>(_ query: () async throws(PostgresError) -> T) async throws(ServiceFailure) -> T {
    do throws(PostgresError) {
        return try await query()
    } catch {
        throw ServiceFailure(postgres: error)
    }
}

/// Sends a command of a store at which nothing but the service can fail.
func askRedis<T>(_ command: () async throws(RedisError) -> T) async throws(ServiceFailure) -> T {
    do throws(RedisError) {
        return try await command()
    } catch {
        throw ServiceFailure(redis: error)
    }
}

/// Asks such a store; its failure is one of the operation.
package func mapServiceFailures<T>(_ body: () async throws(ServiceFailure) -> T) async throws(IdentityError) -> T {
    do throws(ServiceFailure) {
        return try await body()
    } catch {
        throw .service(error)
    }
}
