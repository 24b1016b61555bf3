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
            let remedy = "nobody can sign in with it: see that \(provider.keySetURL) can be reached from here and is right"
            return Finding(name, .problem(remedy), explanation(of: error))
        }
    }

    private static func explanation(of failure: KeySetFetchFailure) -> String {
        switch failure {
        case .notAnswered(let error): "its keys cannot be fetched: \(OutboundWords.text(error))"
        case .status(let status): "its key server answers \(status)"
        case .invalid(let error): "what its key server answers is no key set (\(error.reason))"
        case .empty: "its key set has no key that can be used"
        }
    }
}

/// Why another server has not answered, for people.
enum OutboundWords {
    static func text(_ error: OutboundError) -> String {
        switch error {
        case .invalidRequest: "the URL cannot be asked"
        case .timedOut: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .tls(let reason): "no trusted TLS (\(reason))"
        case .connection(let reason): reason
        case .redirectRefused: "it leads to another server"
        case .overloaded: "busy"
        case .authorities(let reason): "KIDOBAN_CA_FILE cannot be used (\(reason))"
        }
    }
}
