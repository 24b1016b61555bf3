import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban client`, on a database that has its tables.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ClientCommandTests {
    private struct ClientCommands {
        let stores: TestEnvironment

        init() async throws {
            stores = try TestEnvironment()
            #expect(try await Kidoban.run("migrate", environment: stores.variables).status == 0)
        }

        func outcome(_ words: String...) async throws -> Kidoban.Outcome {
            try await Kidoban.run(["client"] + words, environment: stores.variables)
        }

        func run(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
            let outcome = try await Kidoban.run(["client"] + words, environment: stores.variables)
            #expect(outcome.status == 0, "\(outcome.output)", sourceLocation: sourceLocation)
            return outcome.output
        }

        func document(_ id: String) async throws -> JSONValue {
            try JSON.parse(try await run("show", id, "--json"))
        }
    }

    @Test func `the list says until when a secret that was replaced is still good, and a rotation what to do`() async throws {
        let commands = try await ClientCommands()
        _ = try await commands.run("add", "orders", "--introspect")
        let plain = try await commands.run("list")
        #expect(plain.hasPrefix("ID ") && plain.contains("\norders  orders  resource_server  client_secret_basic"))
        #expect(!plain.contains("good until"))
        let before = Timestamp.now()
        let rotated = try await commands.run("rotate", "orders", "--overlap", "2h")
        #expect(
            rotated.contains("the secret that orders had until now is good until ")
                && rotated.contains("rotate orders --end-previous"))
        let overlapping = try await commands.run("list")
        let end = try #require(overlapping.firstMatch(of: /old secret good until ([-0-9T:]+Z), not used since/)).1
        // To the second, by a clock that is read twice.
        let hour = before.adding(.seconds(2 * 3600)).iso8601.prefix(13)
        let later = before.adding(.seconds(2 * 3600 + 600)).iso8601.prefix(13)
        #expect(end.hasPrefix(hour) || end.hasPrefix(later))
        #expect(
            try await commands.document("orders")["previous_secret_good_until"]?.stringValue?.hasPrefix(String(hour.prefix(10)))
                != nil)
        // A second rotation ends the first one's overlap, and says so.
        let again = try await commands.run("rotate", "orders")
        #expect(again.contains("the secret before that one was good until ") && again.contains("is refused from now on"))
        let ended = try await commands.run("rotate", "orders", "--end-previous")
        #expect(ended.hasPrefix("The secret that orders had before its last rotation is refused") && !ended.contains("kds_"))
        let none = try await commands.outcome("rotate", "orders", "--end-previous")
        #expect(none.status == 1 && none.output.contains("no secret from before that is still good"))
        let now = try await commands.run("rotate", "orders", "--now")
        #expect(now.contains("every secret that orders had until now is refused"))
        #expect(try await commands.run("list") == plain)
    }

    @Test func `a client of each kind is registered with what is safe, and shown`() async throws {
        let commands = try await ClientCommands()
        let uri = "https://shop.example.com/callback"
        let web = try await commands.run("add", "web", "--web", "--redirect-uri", uri, "--id", "web-1")
        #expect(web.wholeMatch(of: /client_id=web-1\nclient_secret=kds_[A-Za-z0-9_-]{43}\n/) != nil)
        #expect(try await commands.run("add", "spa", "--spa", "--redirect-uri", uri) == "client_id=spa\n")
        let own = "com.example.shop:/callback"
        #expect(try await commands.run("add", "phone", "--native", "--redirect-uri", own, "--first-party") == "client_id=phone\n")
        #expect(try await commands.run("add", "tv", "--device") == "client_id=tv\n")
        #expect(try await commands.run("add", "nightly", "--service", "--scope", "orders:read").contains("client_secret=kds_"))
        _ = try await commands.run("add", "orders", "--resource-server")
        let shown = try await commands.document("web-1")
        #expect(shown["kind"] == "web" && shown["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(shown["require_pkce"] == true && shown["is_first_party"] == false && shown["redirect_uris"] == [.string(uri)])
        #expect(shown["token_endpoint_auth_method"] == "client_secret_basic" && shown["registered_by"] == "operator")
        let phone = try await commands.document("phone")
        #expect(
            phone["token_endpoint_auth_method"] == "none" && phone["rotates_refresh_tokens"] == true
                && phone["is_first_party"] == true)
        #expect(phone["application_type"] == "native")
        let nightly = try await commands.document("nightly")
        #expect(nightly["grant_types"] == ["client_credentials"] && nightly["scopes"] == ["orders:read"])
        #expect(try await commands.document("orders")["permissions"] == ["introspect"])
        #expect(try await commands.document("tv")["grant_types"]?.arrayValue?.count == 2)
        let page = try await commands.run("show", "phone")
        #expect(page.contains("redirect_uris") && page.contains(own) && !page.contains("digest"))
        #expect(try await commands.run("list", "--json").split(separator: "\n").count == 6)
    }

    @Test func `what is wrong is said with the option and the value`() async throws {
        let commands = try await ClientCommands()
        for (words, parts) in [
            (["add", "a", "--web"], ["--redirect-uri is missing"]),
            (
                ["add", "a", "--web", "--redirect-uri", "http://a.example/cb"],
                ["--redirect-uri http://a.example/cb is not https"]
            ),
            (["add", "a", "--spa", "--redirect-uri", "com.example.a:/cb"], ["--redirect-uri com.example.a:/cb is not https"]),
            (
                ["add", "a", "--native", "--redirect-uri", "myapp:/cb"],
                ["--redirect-uri myapp:/cb", "such as com.example.app:/callback"]
            ),
            (
                ["add", "a", "--spa", "--redirect-uri", "https://a.example/#x", "--auth-method", "client_secret_basic"],
                ["--auth-method has to be none", "--redirect-uri https://a.example/#x has a fragment"]
            ),
            (["add", "a", "--service", "--public"], ["--grant has client_credentials, which a public client cannot use"]),
            (["add", "a", "--introspect", "--public"], ["--auth-method cannot be none for a client that introspects"]),
            (["add", "a", "--service", "--auth-method", "private_key_jwt"], ["--jwks is missing"]),
            (["add", "a", "--service", "--jwks", "/nowhere"], ["--jwks names a file that does not exist"]),
            (["add", "a", "--service", "--logo-uri", "x"], ["--logo-uri has to be an https URL"]),
            (
                ["add", "a", "--service", "--session-idle-lifetime", "10m"],
                ["--access-token-lifetime has to be", "not longer than a session lives"]
            ),
        ] {
            let outcome = try await Kidoban.run(["client"] + words, environment: commands.stores.variables)
            #expect(outcome.status == 64, "\(words): \(outcome.output)")
            for part in parts {
                #expect(outcome.output.contains("kidoban: ") && outcome.output.contains(part), "\(outcome.output)")
            }
        }
        #expect(try await commands.run("list").isEmpty)
    }

    @Test func `a client is changed, disabled, enabled and deleted, and each is on record`() async throws {
        let commands = try await ClientCommands()
        _ = try await commands.run("add", "shop", "--spa", "--redirect-uri", "https://a.example/cb", "--contact", "mei")
        let changed = try await commands.run(
            "update", "shop", "--redirect-uri", "https://b.example/cb", "--clear", "contact", "--name", "Shop 2",
            "--access-token-lifetime", "5m")
        #expect(
            changed.hasPrefix("Changed shop\n")
                && changed.contains("redirect_uris: https://a.example/cb -> https://b.example/cb\n"))
        #expect(changed.contains("contacts: mei -> -\n") && changed.contains("access_token_seconds: 900 -> 300\n"))
        #expect(try await commands.run("update", "shop", "--name", "Shop 2") == "Nothing of shop has changed\n")
        let refused = try await commands.outcome("update", "shop", "--redirect-uri", "https://b.example/#")
        #expect(refused.status == 64 && refused.output.contains("--redirect-uri https://b.example/# has a fragment"))
        #expect(try await commands.document("shop")["redirect_uris"] == ["https://b.example/cb"])
        // A page in the browser gets no secret; what becomes of a client that does is printed once.
        #expect(try await commands.outcome("update", "shop", "--auth-method", "client_secret_post").status == 64)
        #expect(try await commands.outcome("rotate", "shop").output.contains("shop has no secret (none)"))
        _ = try await commands.run("add", "phone", "--native", "--redirect-uri", "https://a.example/cb")
        #expect(
            try await commands.run("update", "phone", "--auth-method", "client_secret_post").wholeMatch(
                of: /client_id=phone\nclient_secret=kds_[A-Za-z0-9_-]{43}\n/) != nil)
        let disabled = try await commands.run("disable", "shop")
        #expect(disabled.hasPrefix("Disabled shop; every copy knows at once, or without Redis within 10s\n"))
        #expect(try await commands.run("disable", "shop") == "shop was disabled already\n")
        #expect(try await commands.run("list").contains("disabled since "))
        #expect(try await commands.run("enable", "shop").hasPrefix("Enabled shop;"))
        #expect(try await commands.document("shop")["disabled_at"] == nil)
        #expect(try await commands.run("delete", "shop") == "Deleted shop\n")
        for words in [["update", "shop", "--rotate"], ["show", "shop"], ["enable", "shop"], ["delete", "shop"]] {
            let outcome = try await Kidoban.run(["client"] + words, environment: commands.stores.variables)
            #expect(outcome.status == 1 && outcome.output == "kidoban: there is no client shop\n")
        }
        let events = try TestDatabase.rows(
            "SELECT kind FROM audit_events WHERE client_id = 'shop' ORDER BY id", on: commands.stores.database.connectionString)
        #expect(
            events.flatMap(\.self) == ["client_added", "client_updated", "client_disabled", "client_enabled", "client_removed"])
        let fields = try TestDatabase.rows(
            "SELECT detail->>'fields' FROM audit_events WHERE kind = 'client_updated' AND client_id = 'shop'",
            on: commands.stores.database.connectionString)
        #expect(fields[0][0].contains("redirect_uris"))
    }

    @Test func `a backend that would see no token is not made unnoticed`() async throws {
        let commands = try await ClientCommands()
        let plain = try await commands.run("add", "orders", "--introspect")
        #expect(
            plain.contains(
                "orders sees the tokens for the audience http://localhost:8080, which these clients get: app, rest-auth"))
        #expect(!plain.contains("warning"))
        let blind = try await commands.run("add", "stock", "--introspect", "--audience", "https://stock.example.com")
        #expect(blind.contains("warning: no client gets tokens for the audience https://stock.example.com"))
        #expect(blind.contains("the apps' own tokens are for http://localhost:8080: add --audience http://localhost:8080"))
        _ = try await commands.run("add", "nightly", "--service", "--audience", "https://stock.example.com")
        let seeing = try await commands.run(
            "update", "stock", "--audience", "https://stock.example.com", "--audience", "https://other.example")
        #expect(
            seeing.contains("stock sees the tokens for the audience https://stock.example.com, which these clients get: nightly"))
        #expect(seeing.contains("warning: no client gets tokens for the audience https://other.example"))
        #expect(
            try await commands.run("add", "all", "--introspect", "--audience", "*").contains(
                "all sees the tokens of every client"))
    }

    @Test func `public keys come from a file, and only public ones`() async throws {
        let commands = try await ClientCommands()
        let directory = try TestDirectory()
        let good =
            #"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#
        try TestFile.write(good, to: "\(directory.path)/good")
        try TestFile.write(good.replacing(#""kty""#, with: #""d":"AA","kty""#), to: "\(directory.path)/private")
        try TestFile.write("hello", to: "\(directory.path)/text")
        let added = try await commands.run(
            "add", "batch", "--service", "--auth-method", "private_key_jwt", "--jwks", "\(directory.path)/good")
        #expect(added == "client_id=batch\n")
        #expect(try await commands.document("batch")["jwks"]?["keys"]?.arrayValue?.count == 1)
        for name in ["private", "text"] {
            let outcome = try await commands.outcome(
                "add", "other", "--service", "--auth-method", "private_key_jwt", "--jwks", "\(directory.path)/\(name)")
            #expect(outcome.status == 64 && outcome.output.contains("--jwks"), "\(outcome.output)")
        }
        #expect(try await commands.outcome("update", "batch", "--clear", "jwks").output.contains("--jwks is missing"))
    }
}
