import Endpoints
import HTTP
import Routing
import Testing

@testable import Server

@Suite struct APIConflictTests {
    private func api(_ name: String, prefix: String = "", _ method: HTTP.Method = .post) -> RouteGroup {
        let route = Route(method, "/auth/token", documentation: RouteDocumentation("", responses: [])) { _ in .empty(.ok) }
        return RouteGroup(name: name, prefix: prefix, routes: [route], documentation: .plainText(""), failure: Router.plainText)
    }

    @Test func `two APIs that would answer the same request are named, with what and how to help it`() {
        #expect {
            try Worker.router([api("app"), api("token")])
        } throws: { error in
            "\(error)" == "the APIs app and token would both answer POST /auth/token: "
                + "leave one out of KIDOBAN_APIS, or give one a prefix"
        }
    }

    @Test func `with a prefix, or with other methods, they stand side by side`() throws {
        _ = try Worker.router([api("app"), api("token", prefix: "/api")])
        _ = try Worker.router([api("app"), api("token", .put)])
    }

    @Test func `what no API is near to is answered in the words of the first`() throws {
        let words = RouteGroup(
            name: "token", routes: api("token").routes, documentation: .plainText(""),
            failure: { failure, _ in .text(failure.status, "in these words") })
        let router = try Worker.router([words, api("cookie", prefix: "/api")])
        #expect(router.response(to: .notFound, in: nil, head: nil).body == Array("in these words".utf8))
        #expect(try Worker.router([]).response(to: .notFound, in: nil, head: nil).status == .notFound)
    }

    @Test func `a name of an API that does not exist is answered with the nearest`() throws {
        let problems = Sample.problems(["KIDOBAN_APIS": "app,oath"])
        #expect(problems.map(\.reason) == [.refused("names an API that does not exist; the nearest is oauth")])
        #expect(problems.first?.expectation?.contains("openid, openapi") == true)
    }
}
