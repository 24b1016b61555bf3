import HTTP
import Identity
import Text

/// The values that several methods take.
extension IdentityToolkit.Core {
    func password(_ text: String, of email: EmailAddress?) throws(IdentityError) -> Password {
        do throws(InputProblem) {
            return try options.rules.password(text, of: email)
        } catch {
            throw .invalidInput([error])
        }
    }

    func chosen(_ text: String, of email: EmailAddress?) throws(Failure) -> Password {
        do throws(IdentityError) {
            return try password(text, of: email)
        } catch {
            throw Failure(error)
        }
    }

    func displayName(_ text: String?) throws(Failure) -> DisplayName? {
        guard let text else { return nil }
        do throws(InputProblem) {
            return try DisplayName(text)
        } catch {
            throw Failure(IdentityError.invalidInput([error]))
        }
    }

    func photoURL(_ text: String?) throws(Failure) -> PhotoURL? {
        guard let text, !text.isEmpty else { return nil }
        // Tests of the SDKs say anything, and the storage emulator's links are plain HTTP.
        if options.isEmulator, text.utf8.count <= PhotoURL.maximumLength, !text.utf8.contains(0) { return PhotoURL(stored: text) }
        do throws(InputProblem) {
            return try PhotoURL(text)
        } catch {
            throw Failure(IdentityError.invalidInput([error]))
        }
    }

    func localID(_ text: String?) throws(Failure) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= 128, UserAlias(source: ProjectUser.aliasSource, id: text) != nil else {
            throw Failure("INVALID_LOCAL_ID")
        }
        return text
    }

    func phone(_ text: String?, of user: ProjectUser?) async throws(Failure) -> String? {
        guard let text else { return nil }
        let digits = text.dropFirst()
        guard text.first == "+", (6...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Failure("INVALID_PHONE_NUMBER", "Invalid format.")
        }
        let holders = try await Failure.mapIdentityErrors { () throws(IdentityError) in
            try await accounts.users(ProjectUserNames(phoneNumber: text))
        }
        guard holders.allSatisfy({ $0.user.id == user?.user.id }) else { throw Failure("PHONE_NUMBER_EXISTS") }
        return text
    }

    /// Until the end of the year 9999.
    static let seconds: ClosedRange<Int64> = 0...253_402_300_799

    /// An id at a provider.
    static func subject(_ text: String) throws(Failure) -> String {
        guard text.utf8.count <= 255, !text.utf8.contains(0) else { throw Failure("INVALID_ARGUMENT", "rawId is too long.") }
        return text
    }
}
