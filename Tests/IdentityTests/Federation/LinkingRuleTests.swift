import Testing
import Text

@testable import Identity

/// The linking rules, by their numbers.
@Suite struct LinkingRuleTests {
    private static let other = UserID(at: Sample.now, random: Array(11...20))

    private func account(
        _ id: UserID = Sample.userID, isEmailVerified: Bool = true, isDisabled: Bool = false
    ) -> LinkingRule.Account {
        LinkingRule.Account(id: id, isEmailVerified: isEmailVerified, isDisabled: isDisabled)
    }

    private func presented(
        _ standing: PresentedIdentity.EmailStanding, email: String? = "anna@town.example"
    ) throws -> PresentedIdentity {
        PresentedIdentity(
            provider: .google, subject: "1", audience: "app", email: try email.map { try EmailAddress($0) },
            emailStanding: standing)
    }

    private func decision(
        _ standing: PresentedIdentity.EmailStanding, email: String? = "anna@town.example", known: LinkingRule.Account? = nil,
        sameEmail: LinkingRule.Account? = nil
    ) throws -> LinkingRule.Decision {
        LinkingRule.decision(on: try presented(standing, email: email), known: known, sameEmail: sameEmail)
    }

    @Test(arguments: PresentedIdentity.EmailStanding.allCases)
    func `rules 1 and 2: a known identity signs its user in, whoever has the address`(
        standing: PresentedIdentity.EmailStanding
    ) throws {
        let known = account(isEmailVerified: false)
        for sameEmail in [nil, account(Self.other), account(Self.other, isEmailVerified: false), known] {
            #expect(try decision(standing, known: known, sameEmail: sameEmail) == .signIn(Sample.userID))
        }
        #expect(try decision(standing, email: nil, known: known) == .signIn(Sample.userID))
        #expect(try decision(standing, known: account(isDisabled: true)) == .refuse(.disabled))
    }

    @Test func `rule 3: what was proved up to five minutes ago is recent`() {
        var rules = AccountRules()
        #expect(rules.isRecent(Sample.now, at: Sample.now))
        #expect(rules.isRecent(Sample.now, at: Sample.now.adding(.seconds(300))))
        #expect(!rules.isRecent(Sample.now, at: Sample.now.adding(.milliseconds(300_001))))
        #expect(rules.isRecent(Sample.now, at: Sample.now.adding(.seconds(-2))))
        rules.recentSignIn = .seconds(60)
        #expect(!rules.isRecent(Sample.now, at: Sample.now.adding(.milliseconds(60_001))))
    }

    @Test func `rule 4a: an address that both sides have proved links`() throws {
        #expect(try decision(.authoritative, sameEmail: account()) == .link(Sample.userID))
    }

    @Test func `rule 4b: an account whose address nobody proved is taken back`() throws {
        #expect(try decision(.authoritative, sameEmail: account(isEmailVerified: false)) == .reclaim(Sample.userID))
    }

    @Test(arguments: [true, false])
    func `a disabled account is neither linked nor taken back`(isEmailVerified: Bool) throws {
        let disabled = account(isEmailVerified: isEmailVerified, isDisabled: true)
        #expect(try decision(.authoritative, sameEmail: disabled) == .refuse(.disabled))
    }

    @Test(arguments: [true, false])
    func `rule 4c: any lesser verifiedToken of a taken address asks for a sign-in as before`(isEmailVerified: Bool) throws {
        for standing in [PresentedIdentity.EmailStanding.verified, .unverified] {
            let decision = try decision(standing, sameEmail: account(isEmailVerified: isEmailVerified))
            #expect(decision == .refuse(.needsLinking))
        }
    }

    @Test(arguments: PresentedIdentity.EmailStanding.allCases)
    func `rule 5: an address that nobody has makes a new user`(standing: PresentedIdentity.EmailStanding) throws {
        #expect(try decision(standing) == .create)
        #expect(try decision(standing, email: nil) == .refuse(.noEmail))
    }

    @Test(
        arguments: [(.unverified, false), (.verified, true), (.authoritative, true), (.relay, true)]
            as [(
                PresentedIdentity.EmailStanding, Bool
            )])
    func `rule 5: the new user's address is as verified as the provider says`(
        standing: PresentedIdentity.EmailStanding, isVerified: Bool
    ) throws {
        #expect(try presented(standing).isEmailVerified == isVerified)
        #expect(try !presented(standing, email: nil).isEmailVerified)
    }

    @Test(arguments: [true, false])
    func `rule 6: a relay address never matches`(isEmailVerified: Bool) throws {
        #expect(try decision(.relay, sameEmail: account(isEmailVerified: isEmailVerified)) == .refuse(.needsLinking))
    }

    @Test func `rule 6: a relay address is known by its flag and by its domain`() throws {
        func standing(_ verifiedToken: ProviderProof) throws -> PresentedIdentity.EmailStanding {
            PresentedIdentity(try verifiedToken.token(), toldName: nil, claimedEmail: nil).emailStanding
        }
        #expect(try standing(.relay()) == .relay)
        #expect(try standing(.apple(email: "abc@PrivateRelay.AppleID.com")) == .relay)
        #expect(try standing(.google(email: "abc@privaterelay.appleid.com")) == .relay)
        #expect(try standing(.google(email: "abc@notprivaterelay.appleid.com")) == .authoritative)
        #expect(try standing(.relay().unverified()) == .unverified)
    }

    @Test func `rule 7: something usable has to be left`() {
        func may(_ hasPassword: Bool, _ identities: [ProviderID], usable: Set<ProviderID> = [.apple, .google]) -> Bool {
            LinkingRule.mayUnlink(.google, hasPassword: hasPassword, identities: identities, usable: usable)
        }
        #expect(may(true, [.google]))
        #expect(!may(false, [.google]))
        #expect(!may(false, [.google, .google]))
        #expect(may(false, [.google, .apple]))
        // A provider that is no longer configured signs nobody in.
        #expect(!may(false, [.google, .apple], usable: [.google]))
        #expect(may(true, [.google, .apple], usable: []))
    }

    @Test func `rule 8: what the provider calls unverified is, also for Google`() throws {
        var verifiedToken = ProviderProof.google()
        verifiedToken.isEmailVerified = false
        #expect(PresentedIdentity(try verifiedToken.token(), toldName: nil, claimedEmail: nil).emailStanding == .unverified)
    }

    @Test func `the client's word for an address counts only where the token has none, and as unverified`() throws {
        let claimed = try EmailAddress("claimed@town.example")
        let silent = PresentedIdentity(try ProviderProof.apple(email: nil).token(), toldName: nil, claimedEmail: claimed)
        #expect(silent.email == claimed && silent.emailStanding == .unverified)
        let telling = PresentedIdentity(try ProviderProof.apple().token(), toldName: nil, claimedEmail: claimed)
        #expect(telling.email?.typed == "anna@gmail.com" && telling.emailStanding == .authoritative)
    }

    @Test func `the client's name goes before the provider's, and one that can be none is none`() throws {
        var verifiedToken = ProviderProof.google()
        verifiedToken.name = "Anna at Google"
        verifiedToken.pictureURL = "javascript:alert(1)"
        let told = PresentedIdentity(try verifiedToken.token(), toldName: try DisplayName("Anna"), claimedEmail: nil)
        #expect(told.displayName?.text == "Anna")
        #expect(told.photoURL == nil)
        #expect(
            PresentedIdentity(try verifiedToken.token(), toldName: nil, claimedEmail: nil).displayName?.text == "Anna at Google")
        verifiedToken.name = "two\nlines"
        #expect(PresentedIdentity(try verifiedToken.token(), toldName: nil, claimedEmail: nil).displayName == nil)
    }
}
