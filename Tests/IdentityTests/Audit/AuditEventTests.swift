import Identity
import Testing
import Text

@Suite struct AuditEventTests {
    private let id = UUID(version7At: Sample.now, random: [])

    @Test func `a bare event has what every event has`() {
        let event = AuditEvent(id: id, time: Sample.now, kind: .signingKeyCreated, actor: .system)
        let expected: JSONValue = [
            "id": .string(id.description), "occurred_at": 1_763_870_706_789, "kind": "signing_key_created",
            "outcome": "succeeded", "actor": "system", "detail": [:],
        ]
        #expect(JSONValue.object(event.stored) == expected)
    }

    @Test func `a full event says who, what, why, where and under which reference`() throws {
        let event = AuditEvent(
            id: id, time: Sample.now, kind: .signInFailed(.wrongPassword), actor: .client(try Sample.clientID()),
            userID: Sample.userID, clientID: try Sample.clientID(), sessionID: Sample.sessionID, address: "192.0.2.1",
            referenceID: "r1", detail: JSONObject([JSONObject.Member(key: "n", value: 1)])
        )
        let expected: JSONValue = [
            "id": .string(id.description), "occurred_at": 1_763_870_706_789, "kind": "sign_in_failed", "outcome": "refused",
            "reason": "wrong_password", "actor": "client:phone-app", "user_id": .string(Sample.userID.description),
            "client_id": "phone-app", "session_id": "AAECAwQFBgcICQoLDA0ODw", "address": "192.0.2.1", "reference_id": "r1",
            "detail": ["n": 1],
        ]
        #expect(JSONValue.object(event.stored) == expected)
    }

    @Test(
        arguments: [
            (.anonymous, "anonymous"), (.user(Sample.userID), "user:\(Sample.userID)"),
            (.administrator(name: "mei", source: nil), "administrator"),
            (.system, "system"),
        ] as [(AuditEvent.Actor, String)])
    func `actors are told apart`(actor: AuditEvent.Actor, name: String) {
        #expect(AuditEvent(id: id, time: Sample.now, kind: .userUpdated, actor: actor).stored["actor"] == .string(name))
    }

    @Test(
        arguments: [
            (.sessionEnded(.refreshReused), "session_ended", "refresh_reused", .succeeded),
            (.allSessionsEnded(.passwordChanged), "all_sessions_ended", "password_changed", .succeeded),
            (.tokenRefreshed(.recover), "token_refreshed", "recover", .succeeded),
            (.refreshReused, "refresh_reused", nil, .refused),
            (.clientAuthenticationFailed(.wrongSecret), "client_authentication_failed", "wrong_secret", .refused),
            (.signInFailed(.noPassword), "sign_in_failed", "no_password", .refused),
            (.identityLinked(.sameEmail), "identity_linked", "same_email", .succeeded),
            (.identityChangeRefused(.lastMethod), "identity_change_refused", "last_method", .refused),
            (.limitReached(.signInAddress), "limit_reached", "sign_in:address", .refused),
            (.providerTokenRefused(.replayed), "provider_token_refused", "replayed", .refused),
            (.provider(.codeExchangeFailed(.userGone)), "code_exchange_failed", "user_gone", .refused),
            (.noticeTaken(.consentRevoked), "provider_notice", "consent_revoked", .succeeded),
            (.noticeRefused(.audience), "provider_notice_refused", "audience", .refused),
            (.mailGivenUp, "mail_given_up", nil, .refused), (.passwordReset, "password_reset", nil, .succeeded),
            (.addressChangeRequested, "address_change_requested", nil, .succeeded),
            (.addressChanged, "address_changed", nil, .succeeded), (.changesUndone, "changes_undone", nil, .succeeded),
        ] as [(AuditKind, String, String?, AuditKind.Outcome)])
    func `kinds have a name, a reason and an outcome`(
        kind: AuditKind, name: String, reason: String?, outcome: AuditKind.Outcome
    ) {
        #expect(kind.name == name)
        #expect(kind.reason == reason)
        #expect(kind.outcome == outcome)
    }
}
