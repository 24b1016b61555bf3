/// The checks one by one, for who wants to know which one fails.
extension AuthorizationCheck {
    /// One check, and why it fails.
    package struct Finding: Equatable, Sendable {
        package let name: String
        package let refusal: AuthorizationRefusal?
    }

    /// In their order, up to the first that fails.
    package func findings(_ parameters: AuthorizationParameters, client: Client?) -> [Finding] {
        let name = "the client is known, and the redirect_uri is one of its own"
        let redirectURI: String
        do throws(AuthorizationRefusal) {
            redirectURI = try Self.trustedRedirectURI(parameters, client)
        } catch {
            return [Finding(name: name, refusal: error)]
        }
        guard let client else { return [] }
        var findings = [Finding(name: name, refusal: nil)]
        var draft = Draft(parameters: parameters, client: client, redirectURI: redirectURI, isPushed: isPushed)
        for step in Self.steps {
            do throws(AuthorizationRefusal) {
                try step.check(&draft)
                findings.append(Finding(name: step.name, refusal: nil))
            } catch {
                return findings + [Finding(name: step.name, refusal: error)]
            }
        }
        return findings
    }
}
