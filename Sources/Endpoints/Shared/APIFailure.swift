import HTTP
import Identity
import Routing

/// What can go wrong in an API, in its own words. One case of it is what the rules refuse.
protocol APIFailure: Error {
    static func identity(_ error: IdentityError) -> Self
}

extension APIFailure {
    /// Runs a rule; what it refuses becomes a failure of the API.
    static func mapIdentityErrors<T>(_ rule: () async throws(IdentityError) -> T) async throws(Self) -> T {
        do throws(IdentityError) {
            return try await rule()
        } catch {
            throw .identity(error)
        }
    }

    /// Asks a store at which nothing but the service can fail.
    static func mapServiceFailures<T>(_ query: () async throws(ServiceFailure) -> T) async throws(Self) -> T {
        do throws(ServiceFailure) {
            return try await query()
        } catch {
            throw .identity(.service(error))
        }
    }
}

/// How every API answers when nothing was decided; only the words are its own.
extension ServiceFailure {
    var status: Status {
        switch self {
        case .tooManyRequests: .tooManyRequests
        case .unavailable, .overloaded: .serviceUnavailable
        case .internalFault: .internalServerError
        }
    }

    var retryAfter: Duration? {
        switch self {
        case .tooManyRequests(let delay), .unavailable(let delay), .overloaded(let delay): delay
        case .internalFault: nil
        }
    }

    var fields: ResponseFields { retryAfter.map { .retry(after: $0) } ?? .notStored }
}
