import Crypto
import Identity
import Testing

@testable import Server

@Suite struct ClientArgumentsTests {
    private func failure(_ arguments: [String]) -> ArgumentsError? {
        do throws(ArgumentsError) {
            _ = try Command(parsing: ["client"] + arguments)
            return nil
        } catch {
            return error
        }
    }

    private func newClient(_ arguments: String...) throws -> NewClient {
        guard case .client(.add(let client)) = try Command(parsing: ["client", "add"] + arguments) else {
            throw ArgumentsError(problem: .noCommand, topic: .client)
        }
        return client
    }

    private func change(_ arguments: String...) throws -> ClientChange {
        guard case .client(.update(_, let change)) = try Command(parsing: ["client", "update", "shop"] + arguments) else {
            throw ArgumentsError(problem: .noCommand, topic: .client)
        }
        return change
    }

    @Test(arguments: [
        ("--web", Client.Kind.web), ("--native", .native), ("--spa", .spa), ("--service", .service), ("--device", .device),
        ("--resource-server", .resourceServer), ("--introspect", .resourceServer),
    ])
    func `a client is of one kind`(_ option: String, _ kind: Client.Kind) throws {
        #expect(try newClient("shop", option).kind == kind)
    }

    @Test func `what it is has to be said, and once`() throws {
        guard case .missing(let what) = failure(["add", "shop"])?.problem else {
            Issue.record("taken")
            return
        }
        #expect(what.contains("--web") && what.contains("--resource-server"))
        #expect(failure(["add", "shop", "--web", "--spa"])?.problem == .contradiction("--web", "--spa"))
        // Beside another kind it is one thing more that the client may do.
        let both = try newClient("shop", "--web", "--introspect")
        #expect(both.kind == .web && both.change.introspects == true)
    }

    @Test func `everything that is said of a client is taken`() throws {
        let client = try newClient(
            "Shop", "--web", "--id", "shop-1", "--redirect-uri", "https://a.example/cb", "--redirect-uri=https://b.example/cb",
            "--redirect-uri", "https://a.example/cb", "--post-logout-redirect-uri", "https://a.example/bye",
            "--front-channel-logout-uri",
            "https://a.example/f", "--front-channel-logout-session", "--back-channel-logout-uri", "https://a.example/b",
            "--back-channel-logout-session", "--grant", "authorization_code", "--grant", "device_code", "--auth-method",
            "private_key_jwt",
            "--jwks-uri", "https://a.example/keys", "--scope", "a", "--scope", "b", "--audience", "x", "--audience", "y",
            "--pkce", "optional",
            "--dpop", "required", "--first-party", "--rotate", "--token-format", "jwt", "--algorithm", "RS256",
            "--id-token-algorithm", "ES256", "--userinfo-algorithm", "RS256",
            "--access-token-lifetime", "5m", "--session-idle-lifetime", "1d", "--session-lifetime", "30d", "--client-uri",
            "https://a.example",
            "--logo-uri", "https://a.example/l", "--policy-uri", "https://a.example/p", "--tos-uri", "https://a.example/t",
            "--contact", "mei",
            "--introspect")
        var expected = NewClient(name: "Shop", kind: .web)
        expected.id = ClientID("shop-1")
        expected.change.redirectURIs = ["https://a.example/cb", "https://b.example/cb"]
        expected.change.postLogoutRedirectURIs = ["https://a.example/bye"]
        expected.change.frontChannelLogout = "https://a.example/f"
        expected.change.frontChannelLogoutRequiresSession = true
        expected.change.backChannelLogout = "https://a.example/b"
        expected.change.backChannelLogoutRequiresSession = true
        expected.change.grantTypes = [.authorizationCode, .deviceCode]
        expected.change.authenticationMethod = .privateKeyJWT
        expected.change.keys = .url("https://a.example/keys")
        expected.change.scopes = ["a", "b"]
        expected.change.audiences = ["x", "y"]
        expected.change.requiresPKCE = false
        expected.change.requiresDPoP = true
        expected.change.isFirstParty = true
        expected.change.rotatesRefreshTokens = true
        expected.change.tokenFormat = .jwt(.rs256)
        expected.change.idTokenAlgorithm = .es256
        expected.change.userInfoAlgorithm = .rs256
        expected.change.accessTokenLifetime = .seconds(300)
        expected.change.sessionIdleLifetime = .seconds(86_400)
        expected.change.sessionLifetime = .seconds(30 * 86_400)
        expected.change.homePage = "https://a.example"
        expected.change.logo = "https://a.example/l"
        expected.change.policy = "https://a.example/p"
        expected.change.terms = "https://a.example/t"
        expected.change.contacts = ["mei"]
        expected.change.introspects = true
        #expect(client == expected)
    }

    @Test func `a change says what is otherwise, and nothing else`() throws {
        var expected = ClientChange()
        expected.name = "Store"
        expected.isFirstParty = false
        expected.introspects = false
        expected.rotatesRefreshTokens = false
        expected.cleared = [.contact, .redirectURI]
        #expect(
            try change(
                "--name", "Store", "--third-party", "--no-introspect", "--no-rotate", "--clear", "contact", "--clear",
                "redirect-uri")
                == expected)
        #expect(try change("--public").authenticationMethod == .nothing)
        #expect(try change("--token-format", "opaque").tokenFormat == .opaque)
        #expect(try change("--algorithm", "ES256").tokenFormat == .jwt(.es256))
        #expect(try change("--token-format", "jwt").tokenFormat == .jwt(nil))
        #expect(try change("--grant", GrantType.deviceCode.rawValue).grantTypes == [.deviceCode])
        #expect(failure(["update", "shop"])?.problem == .missing("what is to change"))
    }

    @Test(arguments: [
        ("--id", "a b"), ("--id", "018f3f6e-7b7a-7c3e-8f00-0123456789ab"), ("--audience", "a b"), ("--audience", "a\"b"),
        ("--scope", "a b"), ("--scope", String(repeating: "a", count: 65)), ("--token-format", "saml"), ("--algorithm", "none"),
        ("--algorithm", "PS256"), ("--algorithm", "es256"), ("--id-token-algorithm", "HS256"), ("--auth-method", "basic"),
        ("--userinfo-algorithm", "none"),
        ("--auth-method", "tls_client_auth"), ("--grant", "password"), ("--grant", "implicit"), ("--pkce", "on"),
        ("--dpop", "yes"),
        ("--access-token-lifetime", "0s"), ("--access-token-lifetime", "25h"), ("--access-token-lifetime", "15"),
        ("--access-token-lifetime", "1500ms"), ("--session-idle-lifetime", "59s"), ("--session-lifetime", "3651d"),
        ("--contact", "a\nb"),
    ])
    func `an option with a bad value is refused by its name, with what it takes`(_ option: String, _ value: String) {
        let error = failure(["add", "shop", "--web", option, value])
        guard case .invalid(option, let expected) = error?.problem else {
            Issue.record("not refused: \(String(describing: error))")
            return
        }
        #expect(expected.count > 5 && error?.description.hasPrefix("\(option) is not valid; expected ") == true)
    }

    @Test(arguments: [
        ["add", "a", "--web", "--token-format", "opaque", "--algorithm", "ES256"],
        ["add", "a", "--web", "--public", "--auth-method", "client_secret_post"],
        ["add", "a", "--web", "--jwks", "f", "--jwks-uri", "https://a.example"],
        ["update", "a", "--first-party", "--third-party"],
        ["update", "a", "--rotate", "--no-rotate"], ["update", "a", "--introspect", "--no-introspect"],
        ["update", "a", "--clear", "userinfo-algorithm", "--userinfo-algorithm", "ES256"],
        ["update", "a", "--clear", "scope", "--scope", "x"], ["rotate", "a", "--now", "--overlap", "1h"],
        ["rotate", "a", "--now", "--end-previous"], ["rotate", "a", "--end-previous", "--overlap", "1h"],
    ])
    func `options that exclude each other are refused`(_ arguments: [String]) {
        guard case .contradiction = failure(arguments)?.problem else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `what can be emptied is named`() {
        guard case .invalid("--clear", let expected) = failure(["update", "a", "--clear", "name"])?.problem else {
            Issue.record("taken")
            return
        }
        for field in ClientChange.Clearable.allCases { #expect(expected.contains(field.rawValue)) }
    }
}
