import Text

extension Sessions {
    /// Ends a session for an operator, whosever it is.
    /// - Throws: `IdentityError.sessionNotFound` when there is none, or none any more; `unavailable`: it may live on then.
    package func end(_ id: SessionID, caller: Caller) async throws(IdentityError) {
        guard case .live(let session) = try await store.record(id, at: system.now()) else { throw .sessionNotFound }
        let note = SessionEndNote(actor: .administrator, clientID: session.clientID, caller: caller)
        _ = try await end(id, of: session.userID, reason: .revoked, noting: note)
    }
}
