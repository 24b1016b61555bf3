/// The counters of one provider's key set at a moment.
package struct KeySetReport: Sendable {
    package let provider: ProviderID
    package var fetches: [KeySetFetchOutcome: UInt64] = [:]
    /// Keys that can be used now.
    package var keyCount = 0
    /// Since the keys were fetched; nil as long as there are none.
    package var age: Duration?

    package init(provider: ProviderID) {
        self.provider = provider
    }
}
