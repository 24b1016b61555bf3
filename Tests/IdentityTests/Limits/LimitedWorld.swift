import Text

@testable import Identity

/// How limits are tried out: from which address and device, at which account.
extension Copy {
    static func caller(_ address: String?, device: String? = nil) -> Caller {
        Caller(
            address: address, referenceID: "request-1", device: DeviceDescription("Pixel 9"),
            deviceID: device.flatMap { DeviceID($0) })
    }

    /// What becomes of an attempt to sign in.
    enum Attempt: Equatable {
        case signedIn, refused, limited, failed
    }

    func attempt(
        _ name: SignInAttempt.Name, password: String, from address: String? = "192.0.2.7", device: String? = nil
    ) async throws -> Attempt {
        do {
            let caller = Self.caller(address, device: device)
            let authentication = try await parts.accounts.authenticate(
                password: SignInAttempt(name, passwords: [SecretString(password)]), client: parts.app, caller: caller
            ).completed()
            _ = try await parts.sessions.begin(authentication, for: parts.app, caller: caller)
            return .signedIn
        } catch IdentityError.credentials(.invalid) {
            return .refused
        } catch IdentityError.service(.tooManyRequests) {
            return .limited
        }
    }

    /// Wrong passwords in a row.
    func guess(
        _ count: Int, at email: String = Copy.email, from address: String? = "192.0.2.7", device: String? = nil
    ) async throws -> [Attempt] {
        var attempts: [Attempt] = []
        for _ in 0..<count {
            attempts.append(try await attempt(.email(email), password: "a wrong guess", from: address, device: device))
        }
        return attempts
    }
}

extension Array {
    static func of(_ parts: (Element, Int)...) -> [Element] {
        parts.flatMap { repeatElement($0.0, count: $0.1) }
    }
}

extension LimitSettings {
    /// No limits but these.
    static func only(_ budgets: (LimitBucket, Budget)...) -> LimitSettings {
        var settings = LimitSettings(everything: nil)
        for (bucket, budget) in budgets { settings[bucket] = budget }
        return settings
    }
}
