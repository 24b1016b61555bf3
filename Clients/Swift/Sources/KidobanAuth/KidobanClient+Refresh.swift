import Foundation
import KidobanTransport

extension KidobanClient {
    private struct Tokens: Decodable {
        let accessToken: String
        /// Absent where the session keeps its refresh token.
        let refreshToken: String?
    }

    /// A token is refreshed when it has less than this left, so that it does not expire on its way.
    private static let margin: TimeInterval = 30
    /// For so long at most the client rests because a server says so: one proxy's odd answer must not keep a phone from its tokens for a day.
    static let longestRest: TimeInterval = 60

    /// An access token to send now. However many tasks ask, one refresh is under way at a time.
    /// - Parameter forced: whether to refresh a token that seems good: to see a verified address in it, for example.
    public func accessToken(forced: Bool = false) async throws(KidobanError) -> String {
        guard let session = try await state().session else { throw signedOut }
        if forced { return try await accessToken(insteadOf: session.accessToken) }
        guard let expiry = session.accessTokenExpiry, expiry.timeIntervalSince(clock.now()) < Self.margin else {
            return session.accessToken
        }
        do throws(KidobanError) {
            return try await accessToken(insteadOf: session.accessToken)
        } catch  where error.isTemporary && expiry > clock.now() {
            return session.accessToken
        }
    }

    /// Another access token than one that was refused: for who sends requests himself, after a 401. However many tasks ask with the same one, it
    /// is refreshed once.
    public func accessToken(insteadOf refused: String) async throws(KidobanError) -> String {
        let result = await refreshes.result { [self] in
            do throws(KidobanError) {
                return .success(try await refreshed(insteadOf: refused))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .cancelled }
        return try result.get()
    }

    private func refreshed(insteadOf refused: String) async throws(KidobanError) -> String {
        guard try await state().session != nil else { throw signedOut }
        try await adoptStored()
        guard let session = try await state().session else { throw signedOut }
        // Somebody has refreshed since that token was sent.
        if session.accessToken != refused { return session.accessToken }
        if let rest = restsUntil, rest > clock.now() { throw .unavailable(retryAfter: rest.timeIntervalSince(clock.now())) }
        return try await refresh(session)
    }

    /// Repeats with the same refresh token until there is an answer: the server gives whoever lost an answer the same tokens again.
    private func refresh(_ session: StoredState.Session) async throws(KidobanError) -> String {
        let began = epoch
        let deadline = clock.now().addingTimeInterval(configuration.patience)
        var attempt = 0
        while true {
            attempt += 1
            refreshCount += 1
            do throws(KidobanError) {
                let answer = try await send(
                    "POST", "auth/refresh", RefreshBody(refreshToken: session.refreshToken, rotate: rotation))
                return try await accept(try decode(Tokens.self, answer), for: session, began)
            } catch {
                guard epoch == began else { throw signedOut }
                if case .sessionEnded(let end) = error { return try await judge(end, of: session) }
                guard let delay = delay(after: error, attempt) else { throw error }
                guard clock.now().addingTimeInterval(delay) < deadline else {
                    if Self.asksForRest(error) { restsUntil = clock.now().addingTimeInterval(min(delay, Self.longestRest)) }
                    throw error
                }
                do {
                    try await clock.sleep(delay)
                } catch {
                    throw .cancelled
                }
                guard epoch == began else { throw signedOut }
            }
        }
    }

    /// Nil where it does not help to repeat.
    private func delay(after error: KidobanError, _ attempt: Int) -> TimeInterval? {
        let growing = min(0.25 * pow(2, Double(attempt - 1)), 4) * Double.random(in: 0.75...1.25)
        switch error {
        case .tooManyRequests(let pause), .unavailable(let pause): return pause.map { max($0, growing) } ?? growing
        case .network(.notConnectedToInternet), .network(.dataNotAllowed), .network(.cannotFindHost): return nil
        case .network: return attempt < 4 ? growing : nil
        default: return nil
        }
    }

    private static func asksForRest(_ error: KidobanError) -> Bool {
        switch error {
        case .tooManyRequests(let pause), .unavailable(let pause): pause != nil
        default: false
        }
    }

    private func accept(
        _ tokens: Tokens, for session: StoredState.Session, _ began: Int
    ) async throws(KidobanError) -> String {
        let refreshToken = tokens.refreshToken ?? session.refreshToken
        guard epoch == began else {
            // Signed out in between, perhaps before the server saw the refresh.
            try await change { $0.end(refreshToken) }
            Task { await finishSignOuts() }
            throw signedOut
        }
        restsUntil = nil
        let expiry = expiry(of: tokens.accessToken)
        try await change { state in
            state.session?.accessToken = tokens.accessToken
            state.session?.refreshToken = refreshToken
            state.session?.accessTokenExpiry = expiry
        }
        if try await !state().endings.isEmpty { Task { await finishSignOuts() } }
        return tokens.accessToken
    }

    /// The server says that the session is over. It is, unless another process of the app has a newer refresh token.
    private func judge(_ end: SessionEnd, of session: StoredState.Session) async throws(KidobanError) -> String {
        try await adoptStored()
        if let stored = try await state().session, stored.refreshToken != session.refreshToken {
            return stored.accessToken
        }
        try await endSession(end)
        throw .sessionEnded(end)
    }

    func endSession(_ end: SessionEnd) async throws(KidobanError) {
        beginEpoch(endedBy: end)
        try await change { $0.session = nil }
    }

    /// Why there is no session.
    var signedOut: KidobanError { lastEnd.map { .sessionEnded($0) } ?? .notSignedIn }

    func expiry(of accessToken: String) -> Date? {
        AccessTokenLife.seconds(of: accessToken).map { clock.now().addingTimeInterval($0) }
    }

    var rotation: Bool? { configuration.rotatesRefreshToken ? true : nil }
}

private struct RefreshBody: Encodable, Sendable {
    let refreshToken: String
    let rotate: Bool?
}
