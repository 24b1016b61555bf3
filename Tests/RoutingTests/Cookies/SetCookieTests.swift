import HTTP
import Routing
import Testing
import Text

@Suite struct SetCookieTests {
    private static let now = Timestamp(seconds: 784_111_777)

    private func cookie(_ life: SetCookie.Life, isSecure: Bool = true, isHTTPOnly: Bool = true) -> SetCookie {
        SetCookie("__Host-sid", SecretString("abc"), life: life, isSecure: isSecure, isHTTPOnly: isHTTPOnly)
    }

    @Test func `a cookie of a client's session has no end`() {
        #expect(cookie(.clientSession).fieldValue == "__Host-sid=abc; Path=/; HttpOnly; Secure; SameSite=Lax")
        #expect(cookie(.clientSession, isSecure: false).fieldValue == "__Host-sid=abc; Path=/; HttpOnly; SameSite=Lax")
        #expect(cookie(.clientSession, isHTTPOnly: false).fieldValue == "__Host-sid=abc; Path=/; Secure; SameSite=Lax")
    }

    @Test func `a cookie that lasts says so in both ways`() {
        let life = SetCookie.Life.until(Self.now.adding(.seconds(3600)), now: Self.now)
        let expected =
            "__Host-sid=abc; Path=/; Max-Age=3600; Expires=Sun, 06 Nov 1994 09:49:37 GMT; HttpOnly; Secure; SameSite=Lax"
        #expect(cookie(life).fieldValue == expected)
        #expect(cookie(.until(Self.now, now: Self.now.adding(.seconds(1)))).fieldValue.contains("; Max-Age=0; "))
        for (left, seconds) in [(Duration.milliseconds(1), 1), (.milliseconds(999), 1), (.milliseconds(1001), 2)] {
            let value = cookie(.until(Self.now.adding(left), now: Self.now)).fieldValue
            #expect(value.contains("; Max-Age=\(seconds); "))
        }
    }

    @Test func `a deletion keeps what names the cookie`() {
        let expected = "__Host-sid=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax"
        #expect(cookie(.clientSession).deletion.fieldValue == expected)
    }

    @Test(arguments: zip(SetCookie.SameSite.allCases, ["Strict", "Lax", "None"]))
    func `SameSite is written as browsers write it`(_ sameSite: SetCookie.SameSite, _ text: String) {
        let cookie = SetCookie("a", SecretString("b"), life: .clientSession, isSecure: true, sameSite: sameSite, path: "/x")
        #expect(cookie.fieldValue == "a=b; Path=/x; HttpOnly; Secure; SameSite=\(text)")
    }

    @Test func `a value that would split the response is refused, and none is printed`() {
        var fields = ResponseFields()
        fields.append(SetCookie("a", SecretString("b\r\nc: d"), life: .clientSession, isSecure: false))
        #expect(fields.isRefused)
        #expect(!"\(cookie(.clientSession))".contains("abc"))
    }
}
