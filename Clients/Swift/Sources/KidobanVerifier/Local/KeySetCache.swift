import Foundation
import KidobanTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The key set as it was last published. It is replaced as a whole, so that a key that was removed is noticed; one fetch is under way at a
/// time; and made-up names of keys cause none.
actor KeySetCache {
    /// Between two fetches, whatever tokens say.
    static let pause: TimeInterval = 10
    /// Before there is any key.
    static let firstPause: TimeInterval = 1
    /// So long old keys serve when the server is away.
    static let stale: TimeInterval = 3600
    /// So long a name is taken for unknown without looking again.
    static let unknownPause: TimeInterval = 30
    static let mostUnknown = 1024

    private let url: URL
    private let signatures: any SignatureChecker
    private let transport: any HTTPTransport
    private let clock: SystemClock
    private let fetches = SingleFlight<Void, Never>()

    private var set = KeySet()
    private var entityTag: String?
    private var lifetime: TimeInterval = 300
    private var fetchedAt = Date.distantPast
    private var triedAt = Date.distantPast
    private var isFetching = false
    private var hasFailed = false
    /// Names that the set did not have, and until when that is taken for true.
    private var unknown: [String: Date] = [:]

    init(_ url: URL, _ signatures: any SignatureChecker, _ transport: any HTTPTransport, _ clock: SystemClock) {
        self.url = url
        self.signatures = signatures
        self.transport = transport
        self.clock = clock
    }

    func key(_ kid: String) async throws(TokenError) -> KeySet.Key {
        let now = clock.now()
        let isFresh = (0..<lifetime).contains(now.timeIntervalSince(fetchedAt))
        if isFresh {
            if let key = set.keys[kid] { return key }
            if let end = unknown[kid], end > now { throw .invalid(.unknownKey) }
        }
        let sinceTry = now.timeIntervalSince(triedAt)
        let pause = set.keys.isEmpty ? Self.firstPause : Self.pause
        if isFetching || sinceTry < 0 || sinceTry >= pause {
            guard await fetches.result(of: { [self] in .success(await fetch()) }) != nil else { throw .cancelled }
        }
        return try known(kid, askedAt: now)
    }

    private func known(_ kid: String, askedAt: Date) throws(TokenError) -> KeySet.Key {
        let now = clock.now()
        guard now.timeIntervalSince(fetchedAt) < Self.stale else { throw .unavailable(retryAfter: Self.firstPause) }
        if let key = set.keys[kid] { return key }
        // It may be a new key, and we could not look, or have not looked since.
        guard !hasFailed else { throw .unavailable(retryAfter: Self.firstPause) }
        guard fetchedAt >= askedAt else {
            throw .unavailable(retryAfter: max(Self.firstPause, Self.pause - now.timeIntervalSince(triedAt)))
        }
        if unknown.count >= Self.mostUnknown { unknown = unknown.filter { $0.value > now } }
        if unknown.count < Self.mostUnknown { unknown[kid] = now.addingTimeInterval(Self.unknownPause) }
        throw .invalid(.unknownKey)
    }

    private func fetch() async {
        isFetching = true
        triedAt = clock.now()
        defer { isFetching = false }
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let entityTag { request.setValue(entityTag, forHTTPHeaderField: "If-None-Match") }
        let began = clock.now()
        guard let answer = try? await transport.send(request), take(answer) else { return hasFailed = true }
        hasFailed = false
        fetchedAt = began
        lifetime = Self.lifetime(answer.field("Cache-Control"))
    }

    private func take(_ answer: HTTPAnswer) -> Bool {
        if answer.status == 304 { return entityTag != nil }
        guard answer.status == 200, let set = KeySet(answer.body, signatures) else { return false }
        self.set = set
        entityTag = answer.field("ETag")
        unknown = [:]
        return true
    }

    /// `max-age`, within a minute and an hour.
    private static func lifetime(_ control: String?) -> TimeInterval {
        for directive in (control ?? "").split(separator: ",") {
            let parts = directive.trimmingCharacters(in: .whitespaces).split(separator: "=")
            guard parts.count == 2, parts[0].lowercased() == "max-age", let seconds = Int(parts[1]) else { continue }
            return TimeInterval(min(max(seconds, 60), 3600))
        }
        return 300
    }
}
