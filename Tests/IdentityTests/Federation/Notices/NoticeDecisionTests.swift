import Identity
import Testing

@Suite struct NoticeDecisionTests {
    @Test(
        arguments: [
            (.mailForwarding(isOn: true, at: Sample.now), [.setMailForwarding(isOn: true, at: Sample.now)]),
            (.mailForwarding(isOn: false, at: nil), [.setMailForwarding(isOn: false, at: nil)]),
            (.consentRevoked, [.requireNewIDToken(ending: .ofProvider), .forgetTokens]),
            (.accountDeleted, [.blockForGood(ending: .ofProvider), .forgetTokens, .unlink]),
            (.sessionsRevoked, [.requireNewIDToken(ending: .ofProvider)]),
            (.tokensRevoked, [.requireNewIDToken(ending: .ofProvider), .forgetTokens]),
            (.accountDisabled(.hijacking), [.block(ending: .all)]), (.accountDisabled(.bulkAccount), [.block(ending: .none)]),
            (.accountDisabled(.unspecified), [.block(ending: .none)]), (.accountEnabled, [.unblock]), (.tokenRevoked, []),
            (.credentialChangeRequired, []), (.verification(state: "x"), []), (.unknown, []),
        ] as [(ProviderEvent, [NoticeStep])])
    func `each event leads to what its provider asks for`(event: ProviderEvent, steps: [NoticeStep]) {
        #expect(NoticeDecision.steps(for: event) == steps)
    }
}
