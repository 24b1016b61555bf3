/// Which sessions of a user end with a change of the user's row, and what else Redis forgets then.
package struct SessionsToEnd: Sendable {
    enum Scope: Sendable {
        /// Only sign-ins that are under way become void, and what began under the old number.
        case none
        /// Those that began with a proof of one of these providers'.
        case begunWith([ProviderID])
        case all
    }

    let scope: Scope
    let reason: SessionEnd
    /// One that stays.
    let kept: SessionID?
    /// One that ends after all others, so that it can ask again if one of them cannot be ended.
    let last: SessionID?
    /// Whether nobody is known at the account any more by address or device.
    let forgetsDevices: Bool
    /// Whether codes that were sent by mail are forgotten, whatever they are for.
    let voidsCodes: Bool
    /// Whether the one that stays has ID tokens whose time somebody compares.
    private let keepsIDTokens: Bool

    /// Whether who compares the time of a token, as the Admin SDKs of Firebase do, is to refuse those from before.
    var voidsTokens: Bool {
        guard case .all = scope else { return false }
        return !keepsIDTokens && reason != .userDeleted
    }

    private init(
        _ scope: Scope, _ reason: SessionEnd, kept: SessionID? = nil, last: SessionID? = nil, forgetsDevices: Bool = false,
        voidsCodes: Bool = false, keepsIDTokens: Bool = false
    ) {
        self.scope = scope
        self.reason = reason
        self.kept = kept
        self.last = last
        self.forgetsDevices = forgetsDevices
        self.voidsCodes = voidsCodes
        self.keepsIDTokens = keepsIDTokens
    }

    /// None that has begun.
    static let none = SessionsToEnd(.none, .revoked)

    /// All, but for one that is kept.
    /// - Parameter keepingIDTokens: whether that is one of Firebase's API, whose ID tokens must stay good wherever they are checked.
    static func all(
        _ reason: SessionEnd, except kept: SessionID? = nil, forgettingDevices: Bool = false, keepingIDTokens: Bool = false
    ) -> SessionsToEnd {
        SessionsToEnd(.all, reason, kept: kept, forgetsDevices: forgettingDevices, keepsIDTokens: keepingIDTokens)
    }

    /// Those that began with a provider's proof, but for one that is kept.
    static func begunWith(_ provider: ProviderID, _ reason: SessionEnd, except kept: SessionID? = nil) -> SessionsToEnd {
        begunWith([provider], reason, except: kept)
    }

    /// The same for several at once.
    static func begunWith(_ providers: [ProviderID], _ reason: SessionEnd, except kept: SessionID? = nil) -> SessionsToEnd {
        SessionsToEnd(.begunWith(providers), reason, kept: kept)
    }

    /// All, with the codes that are out and the devices that are known: nothing is left of who had the account.
    static func everything(_ reason: SessionEnd, last: SessionID? = nil) -> SessionsToEnd {
        SessionsToEnd(.all, reason, last: last, forgetsDevices: true, voidsCodes: true)
    }
}
