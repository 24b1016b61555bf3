import Endpoints
import Identity
import Text

/// What the tokens of a user say beside what all tokens say.
extension UserCommand {
    /// Prints the claims, after the change if there is one.
    func claims(of reference: UserReference, _ change: JSONObject?) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        var claims: CustomClaims?
        if let change {
            do throws(CustomClaims.Refusal) {
                claims = try CustomClaims(change, limit: context.worker.services.accounts.rules.claimsLimit)
            } catch {
                throw Complaint("\(error)", status: ExitStatus.usage)
            }
        }
        let user = try await context.administer(about: reference) { [claims] admin throws(AdministrationError) in
            guard let claims else { return try await admin.user(id) }
            return try await admin.setClaims(claims, of: id)
        }
        guard let user else { throw Complaint("there is no user \(reference)") }
        return console.print(user.claims.indentedText)
    }

    /// Prints the roles, one a line, after the change if there is one.
    func roles(of reference: UserReference, _ change: [String]?) async throws(Complaint) -> Int32 {
        let id = try await id(of: reference)
        var roles: Roles?
        if let change {
            do throws(Roles.Refusal) {
                roles = try Roles(change, limit: context.worker.services.accounts.rules.rolesLimit)
            } catch {
                throw Complaint("\(error)", status: ExitStatus.usage)
            }
        }
        let user = try await context.administer(about: reference) { [roles] admin throws(AdministrationError) in
            guard let roles else { return try await admin.user(id) }
            return try await admin.setRoles(roles, of: id)
        }
        guard let user else { throw Complaint("there is no user \(reference)") }
        return console.print(user.roles.map { $0 + "\n" }.joined())
    }
}

extension CustomClaims.Refusal: CustomStringConvertible {
    /// For an operator.
    package var description: String {
        switch self {
        case .notAnObject: "the claims are no JSON object"
        case .tooLarge(let maximum): "the claims take more than \(maximum) bytes as JSON"
        case .reserved(let name): "the claim \"\(name.excerpt)\" is reserved"
        }
    }
}

extension Roles.Refusal: CustomStringConvertible {
    /// For an operator.
    package var description: String {
        switch self {
        case .malformed(let name): "\"\(name.excerpt)\" is no role: 1 to 64 letters, digits and ._:/- are"
        case .tooMany(let maximum): "a user has at most \(maximum) roles"
        }
    }
}
