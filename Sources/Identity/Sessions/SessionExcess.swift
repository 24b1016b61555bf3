import Text

/// Which sessions of a user end because there are too many.
///
/// - First those that a browser had before its last sign-in.
/// - A client of others that begins one more gives its own oldest for it, so that none of them pushes out a phone of the user's.
/// - Else the oldest goes of the client that has most.
enum SessionExcess {
    /// - Parameters:
    ///   - live: all of the user, the newest among them.
    ///   - client: through which the newest began.
    static func sessions(of live: [Session], newest: SessionID, client: Client, limit: Int) -> [Session] {
        let earlier = Set(live.flatMap(\.predecessors))
        var others = live.filter { $0.id != newest }.sorted { $0.absoluteEnd < $1.absoluteEnd }
        var excess: [Session] = []
        while others.count + 1 > limit, !others.isEmpty {
            var counts = [client.id: 1]
            for session in others { counts[session.clientID, default: 0] += 1 }
            let most = others.map { counts[$0.clientID] ?? 0 }.max()
            let index =
                others.firstIndex { earlier.contains($0.id) }
                ?? others.firstIndex { !client.isFirstParty && $0.clientID == client.id }
                ?? others.firstIndex { counts[$0.clientID] == most } ?? 0
            excess.append(others.remove(at: index))
        }
        return excess
    }
}
