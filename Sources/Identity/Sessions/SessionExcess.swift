import Text

/// Which sessions of a user end because there are too many. The oldest is the one that would end first.
///
/// - What a client begins without a sign-in, as for `offline_access`, takes the place of its own oldest: so it pushes out no phone of the user's.
/// - Else the oldest goes of the client that has most.
enum SessionExcess {
    /// - Parameters:
    ///   - live: all of the user, the newest among them.
    ///   - isSignIn: whether the user has signed in for the newest.
    static func sessions(of live: [Session], newest: Session, isSignIn: Bool, limit: Int) -> [Session] {
        var others = live.filter { $0.id != newest.id }.sorted { $0.absoluteEnd < $1.absoluteEnd }
        var excess: [Session] = []
        while others.count + 1 > limit, !others.isEmpty {
            var counts = [newest.clientID: 1]
            for session in others { counts[session.clientID, default: 0] += 1 }
            let most = others.map { counts[$0.clientID] ?? 0 }.max()
            let index =
                others.firstIndex { !isSignIn && $0.clientID == newest.clientID }
                ?? others.firstIndex { counts[$0.clientID] == most } ?? 0
            excess.append(others.remove(at: index))
        }
        return excess
    }
}
