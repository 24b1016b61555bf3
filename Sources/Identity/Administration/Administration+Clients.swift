import Postgres
import Text

/// Clients. What ends a client's right to tokens enters a job in its transaction (`ClientTokenEnding`), so that the tokens which it
/// got by itself end, whatever fails. Its users' sessions give it no new tokens, and with its deletion what it has of them ends.
extension Administration {
    package func clients() async throws(AdministrationError) -> [ClientRecord] {
        try await with(.readClients) { () throws(IdentityError) in
            try await mapPostgresErrors { () throws(PostgresError) in try await clientStore.records() }
        }
    }

    /// Nil when there is none.
    package func client(_ id: ClientID) async throws(AdministrationError) -> ClientRecord? {
        try await with(.readClients) { () throws(IdentityError) in
            try await mapPostgresErrors { () throws(PostgresError) in try await clientStore.record(id) }
        }
    }

    /// Registers a client.
    /// - Throws: `ClientError.idTaken`; `IdentityError.unavailable`: it is not registered then.
    package func addClient(_ client: Client) async throws(AdministrationError) {
        try await with(.manageClients) { () throws(IdentityError) in
            try await pool.transaction { transaction throws(IdentityError) in
                do throws(PostgresError) {
                    try await clientStore.insert(client, at: system.now(), in: transaction)
                } catch .uniqueViolation(constraint: ClientQueries.uniqueIDConstraint) {
                    throw .client(.idTaken)
                } catch {
                    throw IdentityError(postgres: error)
                }
                // One of this id may have been deleted a moment ago.
                try await clientTokens.admit(client.id)
            }
            await clientChanges.tell(client.id)
            await note(.clientAdded, client: client.id)
        }
    }

    /// Makes of a client what `change` makes of it.
    package func updateClient<Refusal: Error>(
        _ id: ClientID, _ change: (Client) -> Result<Client, Refusal>
    ) async throws(AdministrationError) -> ClientStore.Update<Refusal> {
        try await with(.manageClients) { () throws(IdentityError) in
            let update = try await mapPostgresErrors { () throws(PostgresError) in
                try await clientStore.update(id, at: system.now(), change)
            }
            if case .done(let before, let after) = update {
                await clientChanges.tell(id)
                let fields = after.fields(changedSince: before)
                var detail = JSONObject()
                detail["fields"] = .strings(fields)
                if !fields.isEmpty { await note(.clientUpdated, client: id, detail: detail) }
            }
            return update
        }
    }

    /// Refuses a client until it is enabled again, and ends its access tokens; its grants stay.
    /// - Returns: whether it was not disabled before; nil when there is none.
    /// - Throws: `IdentityError.unavailable`; if it is disabled then, its tokens end a little later.
    package func disableClient(_ id: ClientID) async throws(AdministrationError) -> Bool? {
        try await with(.manageClients) { () throws(IdentityError) in
            guard let wasDisabled = try await setDisabled(true, id) else { return nil }
            await clientChanges.tell(id)
            if !wasDisabled { await note(.clientDisabled, client: id) }
            try await clientTokens.endAll(of: id)
            try await ClientRemains(sessions).end(of: id, keepsGrants: true, caller: caller)
            return !wasDisabled
        }
    }

    /// Takes a client back that was disabled.
    /// - Returns: whether it was disabled before; nil when there is none.
    /// - Throws: `IdentityError.unavailable`; if it is enabled then, the call is to be repeated: it gets no tokens by itself yet.
    package func enableClient(_ id: ClientID) async throws(AdministrationError) -> Bool? {
        try await with(.manageClients) { () throws(IdentityError) in
            guard let wasDisabled = try await setDisabled(false, id) else { return nil }
            await clientChanges.tell(id)
            if wasDisabled { await note(.clientEnabled, client: id) }
            try await clientTokens.admit(id)
            return wasDisabled
        }
    }

    /// Deletes a client, once everything that it has got is ended: it is disabled before, so that nothing comes after.
    /// - Returns: false when there is none.
    /// - Throws: `IdentityError.unavailable`; it may be disabled then, and the call may be repeated.
    package func deleteClient(_ id: ClientID) async throws(AdministrationError) -> Bool {
        try await with(.manageClients) { () throws(IdentityError) in
            guard try await setDisabled(true, id) != nil else { return false }
            await clientChanges.tell(id)
            try await clientTokens.endAll(of: id)
            try await ClientRemains(sessions).end(of: id, caller: caller)
            let isDeleted = try await pool.transaction { transaction throws(IdentityError) in
                let isDeleted = try await mapPostgresErrors { () throws(PostgresError) in
                    try await clientStore.delete(id, in: transaction)
                }
                if isDeleted { try await enterTokenEnding(id, transaction, isOfDeleted: true) }
                return isDeleted
            }
            guard isDeleted else { return false }
            await clientChanges.tell(id)
            await note(.clientRemoved, client: id)
            return true
        }
    }

    /// Gives a client another secret.
    /// - Parameter overlap: how long the present one stays good. With none, what was got by it ends too: at once, and once more when every
    ///   copy refuses it.
    /// - Returns: the client before, and the secret unless it is one that has none; nil when there is no such client.
    package func replaceSecret(
        of id: ClientID, overlap: Duration
    ) async throws(AdministrationError) -> (before: Client, secret: ClientSecret?)? {
        try await with(.manageClients) { () throws(IdentityError) in
            let secret = ClientSecret(random: system.random(ClientSecret.randomByteCount))
            let replaced = try await pool.transaction { transaction throws(IdentityError) -> (Client, Bool)? in
                let replaced = try await mapPostgresErrors { () throws(PostgresError) -> (Client, Bool)? in
                    guard let before = try await clientStore.hold(id, in: transaction) else { return nil }
                    let isReplaced = try await clientStore.replaceSecret(
                        of: id, with: secret.digest, overlap: overlap, at: system.now(), in: transaction)
                    return (before, isReplaced)
                }
                if replaced?.1 == true, overlap <= .zero { try await enterTokenEnding(id, transaction) }
                return replaced
            }
            guard let (before, isReplaced) = replaced else { return nil }
            guard isReplaced else { return (before, nil) }
            await clientChanges.tell(id)
            if overlap <= .zero { await endTokens(of: id) }
            var detail = JSONObject()
            detail["overlap_seconds"] = .integer(overlap.components.seconds)
            await note(.clientSecretReplaced, client: id, detail: detail)
            return (before, secret)
        }
    }

    /// Has the secret before the present one refused from now on, and ends what was got by it, once every copy refuses it.
    /// - Returns: the client before, and whether it had such a secret; nil when there is no such client.
    package func endPreviousSecret(of id: ClientID) async throws(AdministrationError) -> (before: Client, isEnded: Bool)? {
        try await with(.manageClients) { () throws(IdentityError) in
            let ended = try await pool.transaction { transaction throws(IdentityError) -> (Client, Bool)? in
                let ended = try await mapPostgresErrors { () throws(PostgresError) -> (Client, Bool)? in
                    guard let before = try await clientStore.hold(id, in: transaction) else { return nil }
                    return (before, try await clientStore.endPreviousSecret(of: id, at: system.now(), in: transaction))
                }
                if ended?.1 == true { try await enterTokenEnding(id, transaction) }
                return ended
            }
            guard let (before, isEnded) = ended else { return nil }
            if isEnded {
                await clientChanges.tell(id)
                await endTokens(of: id)
                await note(.clientSecretEnded, client: id)
            }
            return (before, isEnded)
        }
    }

    /// Ends the tokens that a client has got for itself, which goes on. If it fails, the job that was entered does it.
    private func endTokens(of id: ClientID) async {
        try? await clientTokens.endAll(of: id, refusingFor: .zero)
    }

    /// - Returns: whether it was disabled before; nil when there is no such client.
    private func setDisabled(_ isDisabled: Bool, _ id: ClientID) async throws(IdentityError) -> Bool? {
        let now = system.now()
        return try await pool.transaction { transaction throws(IdentityError) -> Bool? in
            let update = try await mapPostgresErrors { () throws(PostgresError) in
                try await clientStore.update(id, at: now, in: transaction) { client -> Result<Client, Never> in
                    var client = client
                    client.disabledAt = isDisabled ? client.disabledAt ?? now : nil
                    return .success(client)
                }
            }
            guard case .done(let before, _) = update else { return nil }
            if isDisabled, !before.isDisabled { try await enterTokenEnding(id, transaction) }
            return before.isDisabled
        }
    }

    private func enterTokenEnding(
        _ id: ClientID, _ transaction: Transaction, isOfDeleted: Bool = false
    ) async throws(IdentityError) {
        try await ClientTokenEnding(clientID: id, isOfDeleted: isOfDeleted).enter(in: transaction, jobs, sessions, system)
    }
}

extension Client {
    /// The names of the columns that differ.
    fileprivate func fields(changedSince before: Client) -> [String] {
        let (old, new) = (before.columns, columns)
        let names = old.members.map(\.key) + new.members.map(\.key).filter { old[$0] == nil }
        return names.filter { old[$0] != new[$0] }
    }
}
