import Postgres
import Text

extension Administration {
    /// Changes a user as an import wants it. The sessions say it, or have ended, before it is committed: when this stops in between, a second
    /// run finds the difference again.
    /// - Throws: `IdentityError.overloaded`, `unavailable`. Whoever is gone by now is no failure.
    package func bringUpToDate(_ difference: UserImport.Difference) async throws(AdministrationError) {
        try await with(.changeUsers) { () throws(IdentityError) in
            do throws(IdentityError) {
                if difference.isOfSessions {
                    try await sessions.update(SessionOwner(try await users.user(difference.id)), of: difference.id)
                } else {
                    try await change(difference)
                }
            } catch .userNotFound {
                return
            } catch {
                throw error
            }
        }
    }

    private func change(_ difference: UserImport.Difference) async throws(IdentityError) {
        let id = difference.id
        let (isNewPassword, isNowDisabled) = try await changes.change(id) { held throws(IdentityError) in
            let rows = try await held.run(
                HeldUserQueries.bringUpToDate,
                [
                    .uuid(id.description), difference.claims.map { .json(UserStore.rendered($0)) } ?? .null,
                    difference.roles.map { .textArray($0) } ?? .null, .text(orNull: difference.passwordHash),
                    difference.disables ? .integer(held.now.milliseconds) : .null,
                ])
            let isNewPassword = try await mapPostgresErrors { () throws(PostgresError) in try rows.first?.bool(0) ?? false }
            let isNowDisabled = difference.disables && !held.user.isDisabled
            if isNowDisabled { return ((isNewPassword, true), .everything(.userDisabled)) }
            if isNewPassword { return ((true, false), .all(.passwordChanged, forgettingDevices: true)) }
            try await sessions.update(SessionOwner(try await held.changed()), of: id)
            return ((false, false), .none)
        }
        if difference.claims != nil { await note(.userClaimsChanged, id) }
        if difference.roles != nil { await note(.userRolesChanged, id) }
        if isNewPassword { await note(.passwordChanged, id) }
        if isNowDisabled { await note(.userDisabled, id) }
    }
}
