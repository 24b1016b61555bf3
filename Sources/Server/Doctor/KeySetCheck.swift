import Identity
import JOSE
import Outbound

/// Whether the keys of a provider can be had, as the server gets them.
enum KeySetCheck {
    static func finding(of provider: IdentityProvider, with client: HTTPSClient) async -> Finding {
        let name = "key-set-\(provider.id)"
        do throws(KeySetFetchFailure) {
            let keys = try await FetchedKeySet.fetch(provider.keySetURL, with: client).keys
            let usable = keys.keys.count { $0.keyID != nil }
            let skipped = keys.skipped.isEmpty ? "" : ", \(keys.skipped.count) not usable"
            return Finding(name, .ok, "\(usable) usable key(s)\(skipped)")
        } catch {
            let remedy =
                "nobody can sign in with it at a copy that has no keys of it: see that \(provider.keySetURL) can be reached from here "
                + "and is right"
            return Finding(name, .problem(remedy), explanation(of: error))
        }
    }

    private static func explanation(of failure: KeySetFetchFailure) -> String {
        switch failure {
        case .notAnswered(let error): "its keys cannot be fetched: \(error)"
        case .status(let status): "its key server answers \(status)"
        case .invalid(let error): "what its key server answers is no key set (\(error.reason))"
        case .empty: "its key set has no key that can be used"
        }
    }
}
