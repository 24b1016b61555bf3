import Identity
import Testing
import Text

@Suite struct DjangoPasswordRulesTests {
    private func reasons(_ password: String, isKnown: Bool = true) throws -> [InputProblem.Reason] {
        let email = try EmailAddress("kurobe.dam@example.com")
        let profile = Profile(
            number: 1, username: try Username("toyama930"), firstName: "Tateyama", lastName: "Murodo")
        let owner = DjangoPasswordRules.Owner(email: email, profile: profile)
        return DjangoPasswordRules.objections(to: SecretString(password), of: isKnown ? owner : nil, email: email)
    }

    @Test(
        arguments: [
            ("long enough and fine", []), ("1234", [.tooShort(minimum: 8), .entirelyNumeric]),
            ("12345678", [.commonPassword, .entirelyNumeric]), ("password", [.commonPassword]),
            ("toyama931", [.resembles(.username)]),
            ("Tateyama!", [.resembles(.firstName)]), ("murodo1", [.resembles(.lastName), .tooShort(minimum: 8)]),
            ("kurobe.dam", [.resembles(.email)]), ("example1", [.resembles(.email)]), ("٤٨١٥١٦٢٣٤٢", [.entirelyNumeric]),
        ] as [(String, [InputProblem.Reason])])
    func `all that is wrong is told, in Django's order`(_ password: String, _ expected: [InputProblem.Reason]) throws {
        #expect(try reasons(password) == expected)
    }

    @Test func `before anybody is known nothing is similar but the address itself`() throws {
        #expect(try reasons("toyama931", isKnown: false) == [])
        #expect(try reasons("kurobe.dam@example.com", isKnown: false) == [.passwordEqualsEmail])
    }

    @Test func `our own limits hold as well`() throws {
        #expect(try reasons(String(repeating: "long ", count: 300)) == [.tooLong(maximum: 1024)])
        #expect(try reasons("with a \0 inside") == [.forbiddenCharacter])
    }
}
