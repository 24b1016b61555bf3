"""What is asked of both servers. Each scenario begins with users of its own."""

import functools
import itertools

from client import Body, as_form, as_json, as_multipart

PASSWORD = "seven lanterns at the gate"
OTHER = "eleven herons by the river"
FORM = "application/x-www-form-urlencoded"
KEY = "0123456789abcdef0123456789abcdef01234567"
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1c2VyX2lkIjoiMSJ9.c2lnbmF0dXJl"
ENCODINGS = (as_json, as_form, as_multipart)


def register(client, variant, name, **more):
    values = {"email": f"{name}@example.com", "password1": PASSWORD, "password2": PASSWORD} | more
    if variant.takes_names:
        values.setdefault("username", name)
    return client.post("registration/", as_json(values), note=f"({name})")


def confirm(client, name):
    found = client.mail(f"{name}@example.com", r"confirm-email/([^/\s]+)/")
    return client.post("registration/verify-email/", as_json({"key": found[0]}), note=f"({name})")


def log_in(client, name, password=PASSWORD, note=None, **rest):
    body = as_json({"email": f"{name}@example.com", "password": password})
    return client.post("login/", body, note=note or f"({name})", **rest)


def user(client, variant, name):
    """A new user, with the sign-in's answer."""
    register(client, variant, name)
    if variant.is_mandatory:
        confirm(client, name)
    return log_in(client, name)


def credentials(variant, answer):
    """What an app sends that has this answer."""
    json = answer.json
    if "key" in json:
        return f"Token {json['key']}"
    return f"JWT {json['token']}" if "token" in json else f"Bearer {json['access']}"


def login(client, variant):
    user(client, variant, "mei")
    good = {"email": "mei@example.com", "password": PASSWORD}
    for encode in ENCODINGS:
        client.post("login/", encode(good))
        client.post("login/", encode(good | {"extra": "1"}))
        client.post("login/", encode(good | {"email": "MEI@EXAMPLE.COM"}))
        client.post("login/", encode(good | {"email": " mei@example.com "}))
        client.post("login/", encode(good | {"password": f" {PASSWORD} "}))
        client.post("login/", encode(good | {"password": "wrong"}))
        client.post("login/", encode(good | {"email": "nobody@example.com"}))
        client.post("login/", encode(good | {"email": "mei"}))
        client.post("login/", encode(good | {"email": ""}))
        client.post("login/", encode(good | {"password": ""}))
        client.post("login/", encode(good | {"password": "   "}))
        client.post("login/", encode({"password": "x"}))
        client.post("login/", encode({"email": "mei@example.com"}))
        client.post("login/", encode({"username": "mei", "password": PASSWORD}))
        client.post("login/", encode({"username": "mei@example.com", "password": PASSWORD}))
        client.post("login/", encode({"username": "nobody", "email": "", "password": PASSWORD}))
        client.post("login/", encode({}))
        client.post("login/", encode(good | {"password": "p\0q"}))
        client.post("login/", encode(good | {"email": "mei\0@example.com"}))
        client.post("login/", encode(good | {"password": "x" * 5000}), note=f"long password {encode.__name__}")
        client.post("login/", encode(good | {"email": "x" * 300 + "@example.com"}), note=f"long address {encode.__name__}")
        client.post("login/", encode(good | {"email": "x" * 65 + "@example.com"}), note=f"long local part {encode.__name__}")


def wrong_types(client, variant):
    values = (None, True, 0, 17, -1.5, 1e20, 123456789012345678901234567890, [], ["a"], {}, {"a": 1}, "é", "日本語")
    for name, value in itertools.product(("username", "email", "password"), values):
        client.post("login/", as_json({"email": "nobody@example.com", "password": "x"} | {name: value}))
    for value in ([], [1], "text", 1, 1.5, True, False, None):
        client.post("login/", as_json(value))
    for value in (None, True, 17, [], {}):
        client.post("registration/", as_json({"email": value, "password1": value, "password2": value, "username": value}))
        client.post("password/reset/", as_json({"email": value}))
        client.post("password/reset/confirm/", as_json(
            {"uid": value, "token": value, "new_password1": value, "new_password2": value}))
        client.post("registration/verify-email/", as_json({"key": value}))
        if not variant.is_old:
            client.post("registration/resend-email/", as_json({"email": value}))
        if variant.uses_jwt and not variant.is_old:
            client.post("token/verify/", as_json({"token": value}))
            client.post("token/refresh/", as_json({"refresh": value}))


def addresses(client, variant):
    for address in ("a@b", "a@b.c", "a@localhost", "a b@example.com", "a@@example.com", "@example.com", "a@", "a..b@example.com",
                    ".a@example.com", "a.@example.com", '"a b"@example.com', "a@[127.0.0.1]", "a@127.0.0.1", "a@example.com.",
                    "a@-example.com", "a@exam_ple.com", "ä@example.com", "a@exämple.com", "a@xn--exmple-cua.com", "a+b@example.com",
                    "a'b@example.com", "a@example..com", "a,b@example.com", "<a@example.com>", "a@example.com\n", "a\n@example.com",
                    "a/b@example.com", "a@例え.テスト", "a!#$%&*=?^`{|}~b@example.com", "a@example.c", "a@example.123",
                    "A <a@example.com>", "a@" + "b" * 64 + ".com", "a" * 64 + "@example.com", "a@" + "b." * 120 + "com"):
        client.post("login/", as_json({"email": address, "password": "x"}), note=address)
        client.post("password/reset/", as_json({"email": address}), note=address)


def bodies(client, variant):
    good = b'{"email":"nobody@example.com","password":"x"}'
    for text in (b"{", b"", b" ", b"{'a':1}", b"\xff\xfe", b'{"a":"\xff"}', b"NaN", b'{"password":NaN}', b'{"password":"x",}', b"[", b"nul",
                 b'{"email":"a@example.com","email":"nobody@example.com","password":"x"}', b"\xef\xbb\xbf" + good,
                 b'{"email":"nobody@example.com","password":"\\ud800"}', b'{"password":"a\tb"}', good + b"x",
                 b"[" * 2000 + b"]" * 2000):
        client.post("login/", Body("application/json", text))
    for type in ("application/json; charset=utf-8", "application/json;charset=UTF-8", "APPLICATION/JSON", "application/json; charset=latin-1",
                 "application/json; charset=nonsense", "application/vnd.api+json", "text/json", "text/plain", "text/html", "application/xml",
                 "application/octet-stream", "*/*", "json", "", "application/json, text/plain", "image/png",
                 "application/x-www-form-urlencoded; charset=utf-8", "multipart/form-data", "multipart/form-data; boundary=x",
                 "multipart/form-data; boundary=", "multipart/mixed; boundary=x", "application/*"):
        client.post("login/", Body(type, good), note=f"as {type}")
        client.post("login/", Body(type, b""), note=f"nothing as {type}")
        client.post("logout/", Body(type, good), note=f"as {type}")
    client.post("login/")
    client.post("logout/")
    for text in (b"email=nobody@example.com&password=x", b"email=nobody%40example.com&password=x", b"email=nobody%40example.com&password=%zz",
                 b"email=nobody%40example.com&password=%ff", b"email=a%40example.com&email=nobody%40example.com&password=x", b"&&&", b"=",
                 b"email", b"email=nobody%40example.com;password=x", b"password", b"email[]=nobody%40example.com&password[]=x",
                 b"email=nobody@example.com&password=a+b", b"=x&password=y", "email=nobody@example.com&password=日本".encode(),
                 b"\xff\xfe", b"password=x" + b"&a=1" * 1500):
        client.post("login/", Body(FORM, text))
    part = b'--b\r\nContent-Disposition: form-data; name="email"\r\n\r\nnobody@example.com\r\n'
    password = b'--b\r\nContent-Disposition: form-data; name="password"'
    for text in (part + password + b"\r\n\r\nx\r\n--b--\r\n", part + password + b"\r\n\r\nx\r\n--b--", part + password + b"\r\n\r\nx\r\n", part,
                 part + password + b'; filename="x"\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n', b"--b--\r\n", b"nothing",
                 part + b"--b\r\nContent-Disposition: form-data; name=password\r\n\r\nx\r\n--b--\r\n",
                 part + password + b"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nx\r\n--b--\r\n",
                 part + password + b"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--b--\r\n",
                 part.replace(b"\r\n", b"\n") + password + b"\n\nx\n--b--\n", b"preamble\r\n" + part + password + b"\r\n\r\nx\r\n--b--\r\nepilogue"):
        client.post("login/", Body("multipart/form-data; boundary=b", text), note=repr(text[-90:])[2:-1])


def methods(client, variant):
    answer = user(client, variant, "olga")
    paths = ["login/", "logout/", "user/", "password/change/", "password/reset/", "password/reset/confirm/", "registration/",
             "registration/verify-email/", "google/", "google/connect/", "socialaccounts/", "socialaccounts/1/disconnect/", "nothing/",
             "", "registration/nothing/"]
    if not variant.is_old:
        paths.append("registration/resend-email/")
    if variant.uses_jwt and not variant.is_old:
        paths += ["token/verify/", "token/refresh/"]
    for path, method in itertools.product(paths, ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")):
        if (path, method) == ("logout/", "GET"):
            continue
        client.ask(method, path)
        if path in ("user/", "password/change/", "google/connect/", "socialaccounts/", "socialaccounts/1/disconnect/"):
            client.ask(method, path, note="signed in", Authorization=credentials(variant, answer))
    for path in paths:
        client.post(path, as_json({}))
        client.post(path.rstrip("/"), as_json({"x": 1}))
        if path != "logout/":
            client.get(path.rstrip("/"))
    client.post("login//", as_json({}))
    client.post("LOGIN/", as_json({}))
    client.post("login/?a=b", as_json({}))
    client.post("login/x", as_json({}))
    client.post("x/login/", as_json({}))


def languages(client, variant):
    for language in ("ja", "ja-JP", "ja-JP;q=1.0, en-JP;q=0.9", "en;q=0.8, ja;q=0.9", "fr", "de, ja;q=0.5", "*", "", "ja;q=0", "zh-Hans-CN, ja",
                     "en-US, ja", "x" * 600, "JA", "ja_JP"):
        client.post("login/", as_json({}), Accept_Language=language)
    japanese = {"Accept_Language": "ja-JP,ja;q=0.9"}
    taken = user(client, variant, "hana")
    held = {"Authorization": credentials(variant, taken)} | japanese
    client.post("login/", as_json({"email": None, "password": None}), **japanese)
    client.post("login/", as_json({"email": [], "password": {}}), **japanese)
    client.post("login/", as_json({"email": "x", "password": ""}), **japanese)
    client.post("login/", as_json({"password": "x"}), **japanese)
    client.post("login/", as_json({"email": "x@example.com", "password": "x"}), **japanese)
    client.post("login/", as_json({"email": "x@example.com", "password": "x\0"}), **japanese)
    for value in ([], None, "x", 1):
        client.post("login/", as_json(value), **japanese)
    client.post("login/", Body("application/json", b"{"), **japanese)
    client.post("login/", Body("text/plain", b"{"), **japanese)
    client.ask("DELETE", "login/", **japanese)
    client.get("user/", **japanese)
    scheme = credentials(variant, taken).split()[0]
    for value in (scheme, f"{scheme} a b", f"{scheme} x", f"{scheme} {KEY}", f"{scheme} \xff", f"{scheme} {JWT}"):
        client.get("user/", Authorization=value, **japanese)
    client.ask("PUT", "user/", as_json({}), note="nothing", **held)
    client.ask("PUT", "user/", as_json({"username": "a b"}), note="space", **held)
    client.ask("PUT", "user/", as_json({"username": "x" * 151, "first_name": "y" * 151}), note="long", **held)
    names = {"username": "hana2"} if variant.takes_names else {}
    for password in ("abc", "password", "12345678", "123", "hana@example.com", "hana@example", "password1", "a" * 129):
        values = {"email": "hana2@example.com", "password1": password, "password2": password} | names
        client.post("registration/", as_json(values), **japanese)
        client.post("password/change/", as_json({"new_password1": password, "new_password2": password}), **held)
    client.post("registration/", as_json({"email": "hana4@example.com", "password1": PASSWORD, "password2": "x"} | names), **japanese)
    client.post("registration/", as_json({"email": "hana@example.com", "password1": PASSWORD, "password2": PASSWORD} | names), **japanese)
    client.post("registration/", as_json(
        {"email": "hana3@example.com", "username": "hana", "password1": PASSWORD, "password2": PASSWORD}), **japanese)
    client.post("password/change/", as_json({"new_password1": PASSWORD, "new_password2": OTHER}), note="two", **held)
    client.post("password/reset/", as_json({"email": "hana@example.com"}), **japanese)
    client.post("password/reset/confirm/", as_json(
        {"uid": "x", "token": "x", "new_password1": PASSWORD, "new_password2": PASSWORD}), **japanese)
    client.post("registration/verify-email/", as_json({"key": "x"}), **japanese)
    client.get("nothing/", **japanese)
    client.post("logout/", **held)


def accept(client, variant):
    for value in ("*/*", "application/json", "text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/xml",
                  "text/plain", "application/json; indent=4", "image/png, */*;q=0.1", "", "nonsense", "application/*"):
        client.post("login/", as_json({}), Accept=value)
        client.get("user/", Accept=value)
    client.get("user/?format=json")
    client.get("user/?format=api")
    client.get("user/?format=xml")


def authorization(client, variant):
    answer = user(client, variant, "ivan")
    good = credentials(variant, answer)
    scheme, token = good.split()
    known = {"GOOD": token, "UPPER": token.upper(), "CUT": token[:-1]}
    values = [f"{scheme}{rest}" for rest in (
        "", " ", "  GOOD", " GOOD ", "\tGOOD", " GOOD x", " GOODx", " UPPER", "=GOOD", ":GOOD", " \xff\xfe", " CUT", ' "GOOD"', ",GOOD")]
    values += [f" {scheme} GOOD", f"{scheme.lower()} GOOD", f"{scheme.upper()} GOOD", "GOOD", "", " ", "Basic dXNlcjpwYXNz", "Basic", "Digest x"]
    values += [f"{other}{rest}" for other in ("Token", "JWT", "Bearer") for rest in ("", f" {KEY}", f" {JWT}", " x", " a b")]
    for value in values:
        sent = {"Authorization": functools.reduce(lambda text, name: text.replace(name, known[name]), known, value)}
        client.get("user/", note=repr(value), **sent)
        if value.startswith(scheme) and "GOOD" not in value:
            for path in ("login/", "logout/", "registration/", "password/reset/", "password/change/"):
                client.post(path, as_json({}), note=repr(value), **sent)
    client.get("user/", note="good", Authorization=good)
    client.post("password/change/", as_json({}))
    client.ask("PUT", "user/", as_json({}))
    client.ask("PATCH", "user/", Body("application/json", b"{"), note="broken, anonymous")
    client.ask("PATCH", "user/", Body("text/plain", b"{"), note="plain, anonymous")
    client.get("socialaccounts/")
    client.post("google/connect/", as_json({}))


def cookies(client, variant):
    answer = user(client, variant, "nora")
    jar = answer.jar
    session = "; ".join(pair for pair in jar.split("; ") if not pair.startswith("csrftoken="))
    token = dict(pair.split("=", 1) for pair in jar.split("; ")).get("csrftoken", "") if jar else ""
    client.get("user/", note="jar", cookie=jar)
    client.get("user/", note="no such session", cookie="sessionid=abcdefghijklmnopqrstuvwxyz012345")
    client.get("user/", note="empty session", cookie="sessionid=")
    client.get("user/", note="no such access token", cookie="app-auth=x")
    client.get("user/", note="other cookies", cookie="a=b; c=d")
    client.ask("PATCH", "user/", as_json({"first_name": "Nora"}), note="jar, no csrf", cookie=jar)
    client.ask("PATCH", "user/", as_json({"first_name": "Nora"}), note="jar, csrf", cookie=jar, X_CSRFToken=token)
    client.ask("PATCH", "user/", as_json({"first_name": "Nora"}), note="jar, wrong csrf", cookie=jar, X_CSRFToken="x" * 32)
    client.ask("PATCH", "user/", as_json({"first_name": "Nora"}), note="only session", cookie=session)
    log_in(client, "nora", note="jar, no csrf", cookie=jar)
    log_in(client, "nora", note="jar, csrf", cookie=jar, X_CSRFToken=token)
    log_in(client, "nora", note="wrong session", cookie="sessionid=abcdefghijklmnopqrstuvwxyz012345")
    log_in(client, "nora", note="evil", Origin="https://evil.example")
    log_in(client, "nora", note="jar, evil", cookie=jar, Origin="https://evil.example", X_CSRFToken=token)
    client.post("login/", as_json({}), note="bad, jar", cookie=jar, X_CSRFToken=token)
    client.ask("GET", "logout/", note="nothing")
    client.ask("GET", "logout/", note="wrong session", cookie="sessionid=abcdefghijklmnopqrstuvwxyz012345")
    client.post("logout/", note="nothing")
    answer = log_in(client, "nora", note="again")
    jar = answer.jar
    client.ask("HEAD", "logout/", note="jar", cookie=jar)
    answer = log_in(client, "nora", note="third")
    jar = answer.jar
    client.ask("GET", "logout/", note="jar", cookie=jar)
    client.get("user/", note="jar of before", cookie=jar)
    client.get("user/", note="token of before", Authorization=credentials(variant, answer))
    answer = log_in(client, "nora", note="fourth")
    token = answer.cookies.get("csrftoken", ("",))[0]
    client.post("logout/", note="jar, no csrf", cookie=answer.jar)
    client.post("logout/", note="jar, csrf", cookie=answer.jar, X_CSRFToken=token)
    client.get("user/", note="jar of before again", cookie=answer.jar)
    client.get("user/", note="token of before again", Authorization=credentials(variant, answer))


def logout(client, variant):
    answer = user(client, variant, "paul")
    client.post("logout/", as_json({}), note="token", Authorization=credentials(variant, answer))
    client.get("user/", note="token of before", Authorization=credentials(variant, answer))
    client.post("logout/", as_json({}), note="token of before", Authorization=credentials(variant, answer))
    client.post("logout/", as_json([]), note="list")
    client.post("logout/", as_json({"refresh": None}), note="null")
    client.post("logout/", as_json({"refresh": ""}), note="blank")
    client.post("logout/", as_json({"refresh": 17}), note="number")
    client.post("logout/", as_json({"refresh": "x"}), note="garbage")
    client.post("logout/", as_json({"refresh": JWT}), note="foreign")
    client.post("logout/", Body("application/json", b"{"), note="broken")
    client.post("logout/", note="garbage cookie", cookie="app-refresh=x")
    client.post("logout/", note="foreign cookie", cookie=f"app-refresh={JWT}; app-auth={JWT}")
    answer = log_in(client, "paul", note="again")
    if "refresh" in answer.json or "app-refresh" in answer.jar:
        sent = as_json({"refresh": answer.json["refresh"]})
        client.post("logout/", sent, note="refresh", cookie=answer.jar)
        client.post("logout/", sent, note="refresh of before", cookie=answer.jar)
        answer = log_in(client, "paul", note="third")
        client.post("logout/", as_json({"refresh": answer.json["access"]}), note="access as refresh")
        client.post("logout/", as_form({"refresh": answer.json["refresh"]}), note="form")
    client.ask("GET", "logout/", note="token of before", Authorization=credentials(variant, answer))


def details(client, variant):
    signed_in = user(client, variant, "rosa")
    user(client, variant, "otto")
    held = {"Authorization": credentials(variant, signed_in)}
    client.get("user/", **held)
    names = (f"rosa{number}" for number in itertools.count())
    for encode, method in itertools.product(ENCODINGS, ("PUT", "PATCH")):
        def change(note=None, **values):
            note = note or ", ".join(f"{name}={value[:20]!r}{len(value)}" for name, value in values.items())
            # An old JWT is good until the username changes.
            answer = log_in(client, "rosa", note=f"before {next(names)}") if variant.is_old and variant.uses_jwt else signed_in
            sent = {"Authorization": credentials(variant, answer)}
            client.ask(method, "user/", encode(values), note=f"{encode.__name__} {note}", **sent)

        change("nothing")
        change(first_name="Rosa", last_name="L")
        for username in ("otto", "", "a b", "x" * 150, "x" * 151, "rosé", "山田", "a\0b", "a", "@.+-_", "rosa/x", "rosa@example.org",
                         "17", "admin", "a\nb", "rosa"):
            change(username=username)
        change("own username", username="rosa")
        for more in ({"first_name": ""}, {"first_name": "x" * 150}, {"first_name": "x" * 151}, {"last_name": "y" * 151}, {"first_name": " R "},
                     {"first_name": "\0"}, {"email": "other@example.com"}, {"email": "not one"}, {"pk": "17"},
                     {"is_staff": "true", "password": "x"}, {"first_name": "a\nb"}):
            change(username=next(names), **more)
        change(username=" rosa ")
    held = {"Authorization": credentials(variant, log_in(client, "rosa", note="again"))}
    for values in ({"username": None}, {"username": True}, {"username": ["a"]}, {"first_name": None}, {"first_name": 1.5},
                   {"first_name": False}, {"last_name": {}}, {"email": None}, {"email": 17}, {"first_name": [], "last_name": [], "username": []},
                   [], None, "x", [{"username": "x"}]):
        client.ask("PATCH", "user/", as_json(values), **held)
    client.ask("PATCH", "user/", Body("text/plain", b"x"), **held)
    client.ask("PATCH", "user/", Body("application/json", b"x"), **held)
    for method in ("PATCH", "PUT", "HEAD", "GET"):
        client.ask(method, "user/", note="nothing", **held)
    client.ask("PATCH", "user/", as_json({"username": "OTTO"}), **held)


def change(client, variant):
    answer = user(client, variant, "lena")
    held = {"Authorization": credentials(variant, answer)}
    for encode in ENCODINGS:
        kind = encode.__name__
        for first, second in (("", ""), (PASSWORD, OTHER), ("abc", "abc"), ("12345678", "12345678"), ("password", "password"), ("1", "1"),
                              ("lena@example.com", "lena@example.com"), ("lena1234", "lena1234"), ("example.com", "example.com"), ("   ", "   "),
                              ("x" * 128, "y" * 128), ("x" * 129, "x" * 129), ("a\0bcdefghij", "a\0bcdefghij"), ("日本", "日本")):
            client.post("password/change/", encode({"new_password1": first, "new_password2": second}),
                        note=f"{kind} {first[:20]} {second[:20]} {len(first)}", **held)
        client.post("password/change/", encode({}), note=f"{kind} nothing", **held)
        client.post("password/change/", encode({"new_password1": "x"}), note=f"{kind} one", **held)
        client.post("password/change/", encode({"new_password2": "x"}), note=f"{kind} other", **held)
    for value in (None, True, 17, [], {}):
        client.post("password/change/", as_json({"new_password1": value, "new_password2": value}), **held)
    for value in ([], None, "x"):
        client.post("password/change/", as_json(value), **held)
    client.get("user/", note="still", **held)
    client.post("password/change/", as_json({"new_password1": OTHER, "new_password2": OTHER}), note="good", **held)
    client.get("user/", note="after", **held)
    log_in(client, "lena", note="old password")
    answer = log_in(client, "lena", OTHER, note="new password")
    if "sessionid" in answer.jar:
        token = answer.cookies["csrftoken"][0]
        other = log_in(client, "lena", OTHER, note="other device")
        sent = as_json({"new_password1": PASSWORD, "new_password2": PASSWORD})
        changed = client.post("password/change/", sent, note="cookie", cookie=answer.jar, X_CSRFToken=token)
        client.get("user/", note="old cookie", cookie=answer.jar)
        client.get("user/", note="new cookie", cookie=changed.jar)
        client.get("user/", note="other device", cookie=other.jar)
    answer = log_in(client, "lena", PASSWORD if "sessionid" in answer.jar else OTHER, note="at last")
    held = {"Authorization": credentials(variant, answer)}
    client.post("password/change/", as_json({"new_password1": " spaced lantern ", "new_password2": " spaced lantern "}), note="spaces", **held)
    log_in(client, "lena", " spaced lantern ", note="with spaces")
    log_in(client, "lena", "spaced lantern", note="without spaces")


def reset(client, variant):
    user(client, variant, "vera")
    for address in ("vera@example.com", "nobody@example.com", "VERA@example.com", "", "x", " vera@example.com "):
        for encode in ENCODINGS:
            client.post("password/reset/", encode({"email": address}))
    client.post("password/reset/", as_json({}))
    client.post("password/reset/", as_json([]))
    uid, token = client.mail("vera@example.com", r"/reset/([^/\s]+)/([^/\s]+)/")
    good = {"uid": uid, "token": token, "new_password1": OTHER, "new_password2": OTHER}
    confirm = "password/reset/confirm/"
    for encode in ENCODINGS:
        kind = encode.__name__
        client.post(confirm, encode({}), note=f"{kind} nothing")
        client.post(confirm, encode(dict.fromkeys(good, "")), note=f"{kind} blank")
        for name in good:
            client.post(confirm, encode({key: value for key, value in good.items() if key != name}), note=f"{kind} without {name}")
        client.post(confirm, encode(good | {"new_password2": "other"}), note=f"{kind} mismatch")
        client.post(confirm, encode(good | {"new_password1": "123", "new_password2": "123"}), note=f"{kind} weak")
        client.post(confirm, encode(good | {"new_password1": "x" * 129, "new_password2": "x" * 129}), note=f"{kind} long")
        for value in ("x", "MQ", "1", "999999", "é", "!!", "zzzzzzzzzzzzzzzzz", "-1", "x" * 500):
            client.post(confirm, encode(good | {"uid": value}), note=f"{kind} uid {value[:20]}")
        for value in ("x", "é", "abc-def", "x" * 500, "set-password"):
            client.post(confirm, encode(good | {"token": value}), note=f"{kind} token {value[:20]}")
        client.post(confirm, encode(good | {"token": "x", "new_password2": "other"}), note=f"{kind} token and mismatch")
        client.post(confirm, encode(good | {"uid": "x", "new_password2": "other"}), note=f"{kind} uid and mismatch")
        client.post(confirm, encode(good | {"token": "x", "new_password1": "123", "new_password2": "123"}), note=f"{kind} token and weak")
    client.post(confirm, as_json(good), note="good")
    client.post(confirm, as_json(good), note="again")
    log_in(client, "vera", note="old password")
    log_in(client, "vera", OTHER, note="new password")


def registration(client, variant):
    names = itertools.count()
    user(client, variant, "taken")

    def values(**more):
        name = f"new{next(names)}"
        return {"username": name, "email": f"{name}@example.com", "password1": PASSWORD, "password2": PASSWORD} | more

    for encode in ENCODINGS:
        kind = encode.__name__
        client.post("registration/", encode(values()), note=f"{kind} good")
        client.post("registration/", encode({}), note=f"{kind} nothing")
        for name in values():
            client.post("registration/", encode({key: value for key, value in values().items() if key != name}), note=f"{kind} without {name}")
            client.post("registration/", encode(values(**{name: ""})), note=f"{kind} blank {name}")
            client.post("registration/", encode(values(**{name: "  "})), note=f"{kind} spaces {name}")
        for more in ({"email": "taken@example.com"}, {"email": "TAKEN@example.com"}, {"username": "taken"}, {"username": "TAKEN"}, {"email": "x"},
                     {"password2": OTHER}, {"password1": "123", "password2": "123"}, {"password1": "password", "password2": "password"},
                     {"password1": "abcdefg", "password2": "abcdefg"}, {"password1": "12345678901", "password2": "12345678901"},
                     {"password1": "123", "password2": "456"}, {"password1": "123", "email": "x"}, {"username": "a b"}, {"username": "é"},
                     {"username": "x" * 150}, {"username": "x" * 151}, {"username": "admin"}, {"username": "a"}, {"username": "@+-_."},
                     {"username": "a\0b"}, {"first_name": "A", "extra": "1"}, {"email": "x" * 250 + "@example.com"},
                     {"username": "spaced", "email": f" {kind}spaced@example.com "},
                     {"password1": "x" * 129, "password2": "x" * 129}, {"password1": f"{kind}a@example.com", "password2": f"{kind}a@example.com",
                                                                        "email": f"{kind}a@example.com"}):
            sent = values(**more)
            if more.get("username") in ("spaced", "admin", "x" * 150, "a", "é", "@+-_."):
                sent["username"] = more["username"] if kind == "as_json" else f"{more['username'][:10]}{kind}"
            client.post("registration/", encode(sent), note=f"{kind} {str(more)[:60]} {len(str(more))}")
    client.post("registration/", as_json({"email": "bare@example.com", "password1": PASSWORD, "password2": PASSWORD}), note="no name")
    client.post("registration/", as_json({"email": "bare@example.org", "password1": PASSWORD, "password2": PASSWORD}), note="same local part")
    client.post("registration/", as_json({"email": "we.ird+x@example.org", "password1": PASSWORD, "password2": PASSWORD}), note="odd local part")
    for name, domain in (("bare", "com"), ("bare", "org"), ("we.ird+x", "org")):
        note = f"same local part, {domain}" if domain == "org" else name
        answer = client.post("login/", as_json({"email": f"{name}@example.{domain}", "password": PASSWORD}), note=note)
        if answer.status == 200:
            client.get("user/", note=note, Authorization=credentials(variant, answer))


def verification(client, variant):
    register(client, variant, "yuki")
    log_in(client, "yuki", note="before")
    log_in(client, "yuki", "wrong", note="before, wrong password")
    for value in ({}, {"key": ""}, {"key": "x"}, {"key": "a:b:c"}, {"key": "é"}, {"key": "x" * 2000}, []):
        client.post("registration/verify-email/", as_json(value), note=str(value)[:40])
    client.post("registration/verify-email/", as_form({"key": "x"}))
    client.post("registration/verify-email/", as_multipart({"key": "x"}))
    confirm(client, "yuki")
    log_in(client, "yuki", note="after")
    client.get("registration/account-email-verification-sent/")
    client.get("registration/account-confirm-email/x/")
    if not variant.is_old:
        for value in ({}, {"email": ""}, {"email": "x"}, {"email": "nobody@example.com"}, {"email": "yuki@example.com"}, []):
            client.post("registration/resend-email/", as_json(value))
        register(client, variant, "yuka")
        client.post("registration/resend-email/", as_form({"email": "yuka@example.com"}))


def social(client, variant):
    answer = user(client, variant, "saul")
    held = {"Authorization": credentials(variant, answer)}
    for path, more in (("google/", {}), ("google/connect/", held)):
        for value in ({}, {"access_token": ""}, {"code": ""}, {"access_token": None}, {"access_token": [], "code": {}}, [], {"extra": 1},
                      {"code": "x"}, {"id_token": "x"}, {"access_token": "", "code": "", "id_token": ""}):
            client.post(path, as_json(value), **more)
        client.post(path, as_form({"access_token": "", "code": ""}), **more)
    client.get("socialaccounts/", **held)
    client.post("socialaccounts/1/disconnect/", as_json({}), **held)
    client.post("socialaccounts/x/disconnect/", as_json({}), **held)


def tokens(client, variant):
    answer = user(client, variant, "zoe")
    json = answer.json
    for path, name in (("token/verify/", "token"), ("token/refresh/", "refresh")):
        for value in ("", "x", JWT, " ", "a.b.c", "x" * 5000, "é", "eyJhbGciOiJub25lIn0.eyJ1c2VyX2lkIjoiMSJ9."):
            client.post(path, as_json({name: value}), note=f"{value[:20]!r}")
            client.post(path, as_form({name: value}), note=f"form {value[:20]!r}")
        client.post(path, as_json({}))
        client.post(path, as_json({"x": 1}))
        client.post(path, as_json([]))
        client.post(path)
        client.get(path)
        client.post(path, as_json({name: json["access"]}), note="access")
        client.post(path, as_json({name: json["access"]}), note="access, signed in", Authorization=f"Bearer {json['access']}")
        client.post(path, as_json({name: json["access"]}), note="garbage header", Authorization="Bearer x")
        client.post(path, as_json({name: json["access"][:-3]}), note="cut")
    refresh = json["refresh"] or answer.cookies["app-refresh"][0]
    client.post("token/verify/", as_json({"token": refresh}), note="refresh")
    client.get("user/", note="refresh as access", Authorization=f"Bearer {refresh}")
    client.post("token/refresh/", note="cookie", cookie=f"app-refresh={refresh}")
    client.post("token/refresh/", as_json({}), note="garbage cookie", cookie="app-refresh=x")
    client.post("token/refresh/", as_json({"refresh": ""}), note="cookie and blank", cookie=f"app-refresh={refresh}")
    again = log_in(client, "zoe", note="again")
    refresh = again.json["refresh"] or again.cookies["app-refresh"][0]
    new = client.post("token/refresh/", as_json({"refresh": refresh}), note="good")
    client.get("user/", note="refreshed", Authorization=f"Bearer {new.json['access']}")
    client.post("token/refresh/", as_json({"refresh": refresh}), note="second use")
    client.post("token/verify/", as_json({"token": refresh}), note="used")
    if "refresh" in new.json:
        client.post("token/refresh/", as_form({"refresh": new.json["refresh"]}), note="successor")
    last = log_in(client, "zoe", note="last")
    refresh = last.json["refresh"] or last.cookies["app-refresh"][0]
    client.post("logout/", as_json({"refresh": refresh}), note="last", cookie=f"app-refresh={refresh}")
    client.post("token/verify/", as_json({"token": refresh}), note="after logout")
    client.post("token/refresh/", as_json({"refresh": refresh}), note="after logout")
    if again.jar:
        client.get("user/", note="cookie", cookie=again.jar)
        client.ask("PATCH", "user/", as_json({"first_name": "Z"}), note="cookie", cookie=again.jar)
        client.post("logout/", note="cookie", cookie=again.jar)
        client.post("token/refresh/", as_json({}), note="cookie of before", cookie=again.jar)


ALL = (login, wrong_types, addresses, bodies, methods, languages, accept, authorization, cookies, logout, details, change, reset,
       registration, verification, social)


def of(variant):
    return ALL + ((tokens,) if variant.uses_jwt and not variant.is_old else ())
