import Identity
import Testing

@Suite struct NoticeDecisionTests {
    @Test(
        arguments: [
            (.mailForwarding(isOn: true, at: Sample.now), [.setMailForwarding(isOn: true, at: Sample.now)]),
            (.mailForwarding(isOn: false, at: nil), [.setMailForwarding(isOn: false, at: nil)]),
            (.consentRevoked, [.requireNewProof, .endSessions(.ofProvider), .forgetTokens]),
            (.accountDeleted, [.blockForGood, .endSessions(.ofProvider), .forgetTokens, .unlink]),
            (.sessionsRevoked, [.requireNewProof, .endSessions(.ofProvider)]),
            (.tokensRevoked, [.requireNewProof, .forgetTokens, .endSessions(.ofProvider)]),
            (.accountDisabled(.hijacking), [.block, .endSessions(.all)]), (.accountDisabled(.bulkAccount), [.block]),
            (.accountDisabled(.unspecified), [.block]), (.accountEnabled, [.unblock]), (.tokenRevoked, []),
            (.credentialChangeRequired, []), (.verification(state: "x"), []), (.unknown, []),
        ] as [(ProviderEvent, [NoticeStep])])
    func `each event leads to what the contract asks for`(event: ProviderEvent, steps: [NoticeStep]) {
        #expect(NoticeDecision.steps(for: event) == steps)
    }
}
