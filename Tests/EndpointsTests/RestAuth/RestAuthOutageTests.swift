import TestSupport
import Testing
import Text

/// A store that is away is no reason to sign anybody out.
@Suite(.needsOwnRedis, .enabled(if: TestDatabase.server != nil, "KIDOBAN_TEST_DATABASE_URL names no PostgreSQL server"))
struct RestAuthOutageTests {
    @Test func `without Redis everything answers 503 in a form that the client can show`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let django = DjangoClient(server: try installation.server)
            let (email, response) = try await django.register()
            let key = response.key ?? ""
            redis.stop()
            let answers = try await [
                django.user(key), django.logIn(email), django.get("/logout/", response.jar), django.get("/user/", response.jar),
                django.send("/logout/", [], [("Authorization", "Token \(key)")]), django.register().response,
                django.send("/password/reset/", [("email", email)]),
                django.send("/password/reset/", [("email", Account.newEmail())]),
                django.send("/registration/verify-email/", [("key", String(repeating: "A", count: 43))]),
            ]
            for answer in answers {
                #expect(answer.status == 503, "\(answer.text)")
                #expect(answer.value("Retry-After").flatMap { Int($0) } ?? 0 >= 1)
                #expect(answer.keys == ["detail", "non_field_errors"])
                #expect(answer.texts("non_field_errors")?.count == 1)
            }
        }
    }
}
