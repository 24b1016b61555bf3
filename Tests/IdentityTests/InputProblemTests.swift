import Identity
import Testing
import Text

@Suite struct InputProblemTests {
    @Test(
        arguments: [
            (InputProblem(.email, .malformed), .invalidFormat("email")),
            (InputProblem(.photoURL, .malformed), .invalidFormat("url")),
            (InputProblem(.password, .tooShort(minimum: 8)), .tooSmall(.string, minimum: 8)),
            (InputProblem(.displayName, .tooLong(maximum: 200)), .tooBig(.string, maximum: 200)),
            (InputProblem(.password, .commonPassword), .custom(code: "common_password")),
            (InputProblem(.password, .passwordEqualsEmail), .custom(code: "password_equals_email")),
            (InputProblem(.displayName, .forbiddenCharacter), .custom(code: "forbidden_character")),
        ] as [(InputProblem, FieldProblem.Kind)])
    func `a problem has a kind that APIs can render`(problem: InputProblem, kind: FieldProblem.Kind) {
        #expect(problem.kind == kind)
    }
}
