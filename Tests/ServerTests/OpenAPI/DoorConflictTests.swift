import Endpoints
import HTTP
import Testing

@testable import Server

@Suite struct DoorConflictTests {
    private func door(_ name: String, prefix: String = "", _ method: HTTP.Method = .post) -> Door {
        let route = Route(method, "/auth/token", documentation: RouteDocumentation("", responses: [])) { _ in .empty(.ok) }
        return Door(name: name, prefix: prefix, routes: [route], documentation: .plainText(""), failure: Router.plainText)
    }

    @Test func `two doors that would answer the same request are named, with what and how to help it`() {
        #expect {
            try Worker.router([door("app"), door("token")])
        } throws: { error in
            "\(error)" == "the doors app and token would both answer POST /auth/token: "
                + "leave one out of KIDOBAN_DOORS, or give one a prefix"
        }
    }

    @Test func `with a prefix, or with other methods, they stand side by side`() throws {
        _ = try Worker.router([door("app"), door("token", prefix: "/api")])
        _ = try Worker.router([door("app"), door("token", .put)])
    }

    @Test func `what no door is near to is answered in the words of the first`() throws {
        let words = Door(
            name: "token", routes: door("token").routes, documentation: .plainText(""),
            failure: { failure, _ in .text(failure.status, "in these words") })
        let router = try Worker.router([words, door("cookie", prefix: "/api")])
        #expect(router.response(to: .notFound, in: nil, head: nil).body == Array("in these words".utf8))
        #expect(try Worker.router([]).response(to: .notFound, in: nil, head: nil).status == .notFound)
    }

    @Test func `a name of a door that does not exist is answered with the nearest`() throws {
        let problems = Sample.problems(["KIDOBAN_DOORS": "app,oath"])
        #expect(problems.map(\.reason) == [.refused("names a door that does not exist; the nearest is oauth")])
        #expect(problems.first?.expectation?.contains("oauth, openapi") == true)
    }
}
