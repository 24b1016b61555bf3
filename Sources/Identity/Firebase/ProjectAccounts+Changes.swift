import Networking
import Postgres
import Text

extension ProjectAccounts {
    private static let update = HeldStatement(
        name: "project_users_update",
        sql: """
            UPDATE users
            SET email = CASE WHEN $2::boolean THEN $3::text ELSE email END,
                email_normalized = CASE WHEN $2::boolean THEN $4::text ELSE email_normalized END,
                email_verified = CASE WHEN $5::boolean IS NOT NULL THEN $5::boolean WHEN $2::boolean THEN false ELSE email_verified END
                    AND (CASE WHEN $2::boolean THEN $3::text ELSE email END) IS NOT NULL,
                email_claimed = email_claimed AND NOT $2::boolean AND NOT coalesce($5::boolean, false) AND email IS NOT NULL,
                phone_number = CASE WHEN $6::boolean THEN $7::text ELSE phone_number END,
                disabled_at = CASE
                    WHEN $8::boolean IS NULL THEN disabled_at
                    WHEN $8::boolean THEN coalesce(disabled_at, to_timestamp($9::bigint / 1000.0))
                END,
                -- A time to come can be taken back; what is void stays void.
                tokens_valid_after = CASE WHEN $10::bigint IS NULL THEN tokens_valid_after ELSE greatest(
                    least(tokens_valid_after, to_timestamp($9::bigint / 1000.0)), to_timestamp($10::bigint / 1000.0)) END,
                is_anonymous = is_anonymous AND NOT $11::boolean,
                email_confirmed_at = CASE
                    WHEN $12::boolean AND $5::boolean AND NOT email_verified THEN to_timestamp($9::bigint / 1000.0)
                    ELSE email_confirmed_at
                END
            WHERE id = $1::uuid
            """)

    private static let setTimes = Statement(
        name: "project_users_set_times",
        sql: """
            UPDATE users SET created_at = coalesce(to_timestamp($2::bigint / 1000.0), created_at),
                last_sign_in_at = coalesce(to_timestamp($3::bigint / 1000.0), last_sign_in_at)
            WHERE id = $1::uuid
            """)

    /// Parameters: id, the address before.
    private static let noteInitialEmail = HeldStatement(
        name: "project_marks_note_initial_email",
        sql: """
            INSERT INTO project_marks (user_id, initial_email) VALUES ($1::uuid, $2::text)
            ON CONFLICT (user_id) DO UPDATE SET initial_email = coalesce(project_marks.initial_email, excluded.initial_email)
            """)

    /// Parameter: id.
    private static let forgetLink = HeldStatement(
        name: "project_marks_forget_link", sql: "UPDATE project_marks SET signs_in_by_link = false WHERE user_id = $1::uuid")

    private static let insertAlias = Statement(
        name: "project_users_insert_alias",
        sql: """
            INSERT INTO user_aliases (source, id, user_id) VALUES ('firebase', $1::text, $2::uuid)
            ON CONFLICT DO NOTHING RETURNING id
            """)

    private static let insertDetails = Statement(
        name: "project_users_insert_details",
        sql: """
            UPDATE users SET disabled_at = to_timestamp($2::bigint / 1000.0),
                created_at = coalesce(to_timestamp($3::bigint / 1000.0), created_at),
                last_sign_in_at = to_timestamp($4::bigint / 1000.0)
            WHERE id = $1::uuid
            """)

    private static let overwrite = HeldStatement(
        name: "project_users_overwrite",
        sql: """
            UPDATE users
            SET email = $2::text, email_normalized = $3::text, email_verified = $4::boolean, email_claimed = false,
                password_hash = $5::text, display_name = $6::text, photo_url = $7::text, phone_number = $8::text,
                claims = $9::jsonb, is_anonymous = false, disabled_at = to_timestamp($10::bigint / 1000.0),
                created_at = coalesce(to_timestamp($11::bigint / 1000.0), created_at),
                last_sign_in_at = coalesce(to_timestamp($12::bigint / 1000.0), last_sign_in_at)
            WHERE id = $1::uuid
            """)

    /// Whether somebody has an id.
    /// - Throws: `IdentityError.unavailable`.
    package func isTaken(localID: String) async throws(IdentityError) -> Bool {
        do throws(IdentityError) {
            _ = try await user(localID: localID)
            return true
        } catch .userNotFound {
            return false
        }
    }

    /// Makes a user, with all that is said of them or not at all.
    /// - Throws: `IdentityError.emailTaken`; `usernameTaken` for an id that is somebody's; `phoneNumberTaken`, `identityTaken`; `overloaded`, `unavailable`.
    package func create(
        _ new: NewProjectUser, by client: Client, caller: Caller
    ) async throws(IdentityError) -> ProjectUser {
        let now = system.now()
        if let localID = new.localID, let id = UserID(localID), try await exists(id) { throw .usernameTaken }
        let user = User(
            id: UserID(at: now, random: system.random(10)), email: new.email,
            emailVerified: new.emailVerified && new.email != nil, displayName: new.displayName, photoURL: new.photoURL,
            phoneNumber: new.phoneNumber, claims: new.claims, createdAt: now, updatedAt: now)
        var hash = new.importedHash
        if let password = new.password {
            hash = try await accounts.hasher.hash(
                password, for: JobOwner(hashingFor: caller, account: user.account, client: client.id))
        }
        let details: [PostgresValue] = [
            .uuid(user.id.description), new.isDisabled ? .integer(now.milliseconds) : .null,
            new.createdAt.map { .integer($0.milliseconds) } ?? .null,
            new.lastSignInAt.map { .integer($0.milliseconds) } ?? .null,
        ]
        let stored = hash
        try await users.pool.transaction { transaction throws(IdentityError) in
            try await mapTakenValues { () throws(PostgresError) in
                _ = try await transaction.query(
                    UserQueries.insert, UserStore.parameters(of: user, passwordHash: stored))
                if new.isDisabled || new.createdAt != nil || new.lastSignInAt != nil {
                    _ = try await transaction.query(Self.insertDetails, details)
                }
                for identity in new.identities {
                    _ = try await transaction.query(
                        IdentityQueries.insert, IdentityStore.parameters(of: Self.identity(identity, of: user.id, at: now)))
                }
            }
            guard let localID = new.localID else { return }
            let added = try await mapPostgresErrors { () throws(PostgresError) in
                try await transaction.query(Self.insertAlias, [.text(localID), .uuid(user.id.description)])
            }
            if added.isEmpty { throw .usernameTaken }
        }
        await accounts.note(.userCreated, user.id, by: .client(client.id), client, caller)
        return try await self.user(user.id)
    }

    /// Puts all that is said of a user in the place of all that there is, but for the ids; sessions end.
    /// - Throws: `IdentityError.emailTaken`, `phoneNumberTaken`, `identityTaken`, `userNotFound`, `overloaded`, `unavailable`.
    package func overwrite(
        _ id: UserID, with new: NewProjectUser, by client: Client, caller: Caller
    ) async throws(IdentityError) {
        let now = system.now()
        var hash = new.importedHash
        if let password = new.password {
            hash = try await accounts.hasher.hash(
                password, for: JobOwner(hashingFor: caller, account: "user:\(id)", client: client.id))
        }
        func instant(_ time: Timestamp?) -> PostgresValue { time.map { .integer($0.milliseconds) } ?? .null }
        let parameters: [PostgresValue] = [
            .uuid(id.description), .text(orNull: new.email?.typed), .text(orNull: new.email?.normalized),
            .bool(new.emailVerified && new.email != nil), .text(orNull: hash), .text(orNull: new.displayName?.text),
            .text(orNull: new.photoURL?.text), .text(orNull: new.phoneNumber), .json(UserStore.rendered(new.claims)),
            instant(new.isDisabled ? now : nil), instant(new.createdAt), instant(new.lastSignInAt),
        ]
        try await accounts.changes.change(id, ending: .everything(.revoked)) { held throws(IdentityError) in
            let before = try await AccountState.hold(id, in: held.transaction)
            try await mapTakenValues { () throws(PostgresError) in
                _ = try await Self.overwrite.run(on: held, parameters)
            }
            try await held.removeIdentities()
            for identity in new.identities { try await held.add(Self.identity(identity, of: id, at: now)) }
            try await tell(newAddress: new.email, before, held, caller)
        }
        accounts.outbox.ring()
        await accounts.note(.userUpdated, id, by: .client(client.id), client, caller)
    }

    /// Changes a user. When it is about the ways in, sessions have ended when this returns.
    /// - Parameters:
    ///   - actor: who changes.
    ///   - asked: the session that asks, if it is the user's own. It ends with the others, and another is begun; where all that
    ///     is done is taking the password or identities away, it stays.
    /// - Throws: `IdentityError.emailTaken`, `phoneNumberTaken`, `identityTaken`, `identityNotFound`, `lastSignInMethod`, `userNotFound`,
    ///   `overloaded`, `unavailable`.
    package func change(
        _ id: UserID, _ change: ProjectUserChange, by actor: AuditEvent.Actor, asked: Session? = nil, caller: Caller
    ) async throws(IdentityError) -> ProjectUser {
        // First: this may be refused, and then nothing has been changed.
        if change.isOfWaysIn { try await changeWaysIn(of: id, change, by: actor, asked: asked, caller) }
        if change.displayName.changes || change.photoURL.changes {
            _ = try await users.updateProfile(
                of: id, displayName: change.displayName, photoURL: change.photoURL, at: system.now())
            await accounts.note(.userUpdated, id, by: actor, nil, caller)
        }
        if let claims = change.claims {
            _ = try await users.setTokenContent(of: id, claims: claims, roles: nil, at: system.now())
            await accounts.note(.userClaimsChanged, id, by: actor, nil, caller)
        }
        if change.createdAt != nil || change.lastSignInAt != nil {
            func instant(_ time: Timestamp?) -> PostgresValue { time.map { .integer($0.milliseconds) } ?? .null }
            _ = try await mapPostgresErrors { () throws(PostgresError) in
                try await users.pool.query(
                    Self.setTimes, [.uuid(id.description), instant(change.createdAt), instant(change.lastSignInAt)])
            }
        }
        let changed = try await user(id)
        if change.claims != nil || change.isOfWaysIn { try await sessions.update(SessionOwner(changed.user), of: id) }
        return changed
    }

    private func changeWaysIn(
        of id: UserID, _ change: ProjectUserChange, by actor: AuditEvent.Actor, asked: Session?, _ caller: Caller
    ) async throws(IdentityError) {
        var hash: String?
        if case .set(let password?) = change.password {
            if asked != nil { try await accounts.limiter.take(.hash(caller), caller) }
            hash = try await accounts.hasher.hash(
                password, for: JobOwner(hashingFor: caller, account: "user:\(id)", client: nil))
        }
        let stored = hash
        try await accounts.changes.change(id) { held throws(IdentityError) in
            // Once more: whoever came first has ended it, and its wish is void.
            if let asked { _ = try await sessions.session(asked.id) }
            let before = held.user.email == nil ? nil : try await AccountState.hold(id, in: held.transaction)
            if asked != nil { try await requireWayIn(after: change, of: held) }
            try await apply(change, hash: stored, to: held)
            if let before { try await tell(of: change, before, held, caller) }
            return ((), Self.ending(change, of: held.user, asked: asked?.id))
        }
        accounts.outbox.ring()
        await noteWaysIn(id, change, by: actor, caller)
    }

    /// Of two changes at once that each take another way in away, one is refused. Whoever has an address comes in by its mailbox.
    private func requireWayIn(after change: ProjectUserChange, of held: HeldUser) async throws(IdentityError) {
        let losesPassword = change.password.changes && !change.password.isSet
        guard losesPassword || !change.unlinks.isEmpty else { return }
        if !losesPassword, held.hasPassword || change.password.isSet { return }
        let hasMailbox = held.user.email != nil && !held.user.emailClaimed || change.email.isSet
        if rules.allowsEmailLinks, hasMailbox { return }
        guard try await held.identities().contains(where: { !change.unlinks.contains($0.provider) }) else {
            throw .lastSignInMethod
        }
    }

    private func apply(
        _ change: ProjectUserChange, hash: String?, to held: HeldUser
    ) async throws(IdentityError) {
        let email = change.email.value
        let isUpgrade = change.email.changes || change.password.changes || !change.links.isEmpty
        let id = PostgresValue.uuid(held.user.id.description)
        try await mapTakenValues { () throws(PostgresError) in
            _ = try await Self.update.run(
                on: held,
                [
                    id, .bool(change.email.changes), .text(orNull: email?.typed), .text(orNull: email?.normalized),
                    change.emailVerified.map { .bool($0) } ?? .null, .bool(change.phoneNumber.changes),
                    .text(orNull: change.phoneNumber.value), change.isDisabled.map { .bool($0) } ?? .null,
                    .integer(system.now().milliseconds), change.validSince.map { .integer($0.seconds * 1000) } ?? .null,
                    .bool(isUpgrade), .bool(!change.isProvedByLink),
                ])
        }
        if change.email.changes, let before = held.user.email, before.normalized != email?.normalized, !held.user.isAnonymous {
            try await mapPostgresErrors { () throws(PostgresError) in
                _ = try await Self.noteInitialEmail.run(on: held, [id, .text(before.typed)])
            }
        }
        if change.password.changes {
            try await held.setPassword(hash)
            // Who takes the password away takes the mailbox away as well.
            if !change.password.isSet {
                try await mapPostgresErrors { () throws(PostgresError) in _ = try await Self.forgetLink.run(on: held, [id]) }
            }
        }
        for provider in change.unlinks { try await held.removeIdentities(of: provider) }
        for link in change.links { try await held.add(Self.identity(link, of: held.user.id, at: system.now())) }
    }

    /// The mails that say what has been changed, with which it can be undone.
    private func tell(
        of change: ProjectUserChange, _ before: AccountState, _ held: HeldUser, _ caller: Caller
    ) async throws(IdentityError) {
        if change.email.changes { try await tell(newAddress: change.email.value, before, held, caller) }
        // One that is taken away is told as well, if there was one.
        if change.password.isSet || change.password.changes && before.passwordHash != nil {
            try await accounts.notices.enterPassword(of: before, language: caller.language(), in: held.transaction)
        }
        for provider in change.unlinks {
            try await accounts.notices.enter(
                .identityUnlinked, of: before, detail: provider.text, language: caller.language(), in: held.transaction)
        }
        for link in change.links {
            try await accounts.notices.enter(
                .identityLinked, of: before, detail: link.provider.text, language: caller.language(), in: held.transaction)
        }
    }

    /// The mail to the address that is no longer the account's, if it was proved.
    private func tell(
        newAddress: EmailAddress?, _ before: AccountState, _ held: HeldUser, _ caller: Caller
    ) async throws(IdentityError) {
        guard newAddress?.normalized != before.user.email?.normalized else { return }
        let language = caller.language()
        let none = language == .japanese ? "なし" : "none"
        try await accounts.notices.enter(
            .address, of: before, detail: newAddress?.normalized ?? none, language: language, in: held.transaction)
    }

    private static func ending(_ change: ProjectUserChange, of user: User, asked: SessionID?) -> SessionsToEnd {
        if change.isDisabled == true { return .everything(.userDisabled) }
        if change.password.changes {
            // Apps take no new tokens from the answer to an unlinking.
            let kept = change.password.isSet || change.validSince != nil ? nil : asked
            return .all(.passwordChanged, except: kept, forgettingDevices: true, keepingIDTokens: kept != nil)
        }
        if change.email.changes, change.email.value?.normalized != user.email?.normalized {
            return .all(.addressChanged, forgettingDevices: true)
        }
        if change.validSince != nil { return .all(.revoked) }
        guard !change.unlinks.isEmpty else { return .none }
        return asked == nil ? .all(.identityUnlinked) : .begunWith(change.unlinks, .identityUnlinked, except: asked)
    }

    private func noteWaysIn(
        _ id: UserID, _ change: ProjectUserChange, by actor: AuditEvent.Actor, _ caller: Caller
    ) async {
        if change.password.changes { await accounts.note(.passwordChanged, id, by: actor, nil, caller) }
        if change.email.changes { await accounts.note(.addressChanged, id, by: actor, nil, caller) }
        if change.emailVerified == true { await accounts.note(.emailVerified, id, by: actor, nil, caller) }
        if let isDisabled = change.isDisabled {
            await accounts.note(isDisabled ? .userDisabled : .userEnabled, id, by: actor, nil, caller)
        }
        if change.validSince != nil { await accounts.note(.allSessionsEnded(.revoked), id, by: actor, nil, caller) }
        for _ in change.unlinks { await accounts.note(.identityUnlinked, id, by: actor, nil, caller) }
        for _ in change.links { await accounts.note(.identityLinked(.requested), id, by: actor, nil, caller) }
    }

    private func exists(_ id: UserID) async throws(IdentityError) -> Bool {
        do throws(IdentityError) {
            _ = try await users.user(id)
            return true
        } catch .userNotFound {
            return false
        }
    }

    private static func identity(
        _ link: (provider: ProviderID, subject: String, email: String?), of id: UserID, at now: Timestamp
    ) -> ExternalIdentity {
        ExternalIdentity(
            provider: link.provider, subject: link.subject, userID: id, audience: "", email: link.email, isEmailVerified: false,
            isPrivateEmail: false, createdAt: now, lastUsedAt: now)
    }
}
