import Endpoints
import Identity

/// Sessions that no index names, because Redis has evicted it.
extension UserCommand {
    /// Looks through all sessions in Redis for a user's, a thousand keys at a time, and ends what is left of them.
    /// - Parameter done: what has been reached by now, for who reads that the rest has not.
    /// - Returns: what there is to say of it: nothing, where there was none.
    func endUnlisted(of id: UserID, _ reason: SessionEnd, ifItFails done: String) async throws(Complaint) -> String {
        var count = 0
        var cursor: SessionScanCursor?
        do throws(Complaint) {
            repeat {
                let from = cursor
                let (found, next) = try await context.administer { admin throws(AdministrationError) in
                    try await admin.endUnlistedSessions(of: id, reason: reason, from: from)
                }
                count += found
                cursor = next
            } while cursor != nil
        } catch {
            throw Complaint(
                "\(done), but not all of Redis could be looked through for sessions that its index does not name: \(error.text). "
                    + "Repeat the command; Redis's user needs the right to SCAN")
        }
        guard count > 0 else { return "" }
        return """
            , \(count) of which the user's index in Redis did not name. Redis has evicted keys, and may do so again: \
            see `kidoban doctor`, and run `kidoban sessions prune` for all other users
            """
    }
}
