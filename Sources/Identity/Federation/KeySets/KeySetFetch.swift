package import JOSE
package import Outbound

/// Why a fetch has brought no keys.
package enum KeySetFetchFailure: Error, Equatable, Sendable {
    case notAnswered(OutboundError)
    case status(Int)
    /// Not a key set.
    case invalid(JOSEError)
    /// No key of it can be used and, where that is needed, has a name.
    case empty(skipped: Int)
}

extension KeySetFetchFailure: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .notAnswered(let error): "its key set cannot be fetched: \(error)"
        case .status(let status): "its key set is answered with \(status)"
        case .invalid(let error): "what it answers is no key set (\(error.reason))"
        case .empty(let skipped): "its key set has no key that can be used, and \(skipped) that cannot"
        }
    }
}

/// What became of fetches, for the metrics.
package enum KeySetFetchOutcome: String, Sendable, CaseIterable {
    case succeeded, status, invalid, empty, tls, connection, overloaded
    case timedOut = "timed_out"
    case tooLarge = "too_large"
    case redirectRefused = "redirect_refused"

    init(_ failure: KeySetFetchFailure) {
        switch failure {
        case .status: self = .status
        case .invalid: self = .invalid
        case .empty: self = .empty
        case .notAnswered(.timedOut): self = .timedOut
        case .notAnswered(.tooLarge): self = .tooLarge
        case .notAnswered(.tls), .notAnswered(.authorities): self = .tls
        case .notAnswered(.connection), .notAnswered(.invalidRequest): self = .connection
        case .notAnswered(.redirectRefused): self = .redirectRefused
        case .notAnswered(.overloaded): self = .overloaded
        }
    }
}

/// A key set as it came.
package struct FetchedKeySet: Sendable {
    package let keys: JWKSet
    /// How long its server says it is good.
    let freshness: Duration?

    /// Asks for the set at `url` and reads it off the loop: a hostile one takes a while.
    /// - Parameters:
    ///   - publicly: whether a host of a private network is refused.
    ///   - namedOnly: whether a key that has no name is of no use.
    package static func fetch(
        _ url: String, with client: HTTPSClient, publicly: Bool = false, namedOnly: Bool = true
    ) async throws(KeySetFetchFailure) -> FetchedKeySet {
        let request = OutboundRequest(
            .get, url, fields: [("Accept", "application/jwk-set+json, application/json")], isForPublicHosts: publicly)
        let result: Result<FetchedKeySet, KeySetFetchFailure>
        do throws(OutboundError) {
            result = try await client.send(request) { response in
                Result { () throws(KeySetFetchFailure) in try FetchedKeySet(response, namedOnly: namedOnly) }
            }
        } catch {
            throw .notAnswered(error)
        }
        return try result.get()
    }

    init(_ response: OutboundResponse, namedOnly: Bool = true) throws(KeySetFetchFailure) {
        guard response.status == 200 else { throw .status(response.status) }
        do throws(JOSEError) {
            keys = try JWKSet.parse(response.body)
        } catch {
            throw .invalid(error)
        }
        guard keys.keys.contains(where: { $0.keyID != nil || !namedOnly }) else { throw .empty(skipped: keys.skipped.count) }
        freshness = response.freshness
    }
}
