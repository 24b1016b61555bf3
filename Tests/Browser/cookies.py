"""The apis that a browser's cookies open (docs/apis/cookie.md, docs/apis/rest-auth.md): for pages of ours, of sites next to us, and of others."""

import os
import unittest

import service
from service import ISSUER, NEW_PASSWORD, PASSWORD
from world import OTHER_SITE, SAME_SITE, TRUSTED, TRUSTED_SITE, BrowserTestCase

SID = "__Host-sid" if service.IS_SECURE else "sid"
FORM = "application/x-www-form-urlencoded"


class APITestCase(BrowserTestCase):
    def setUp(self):
        super().setUp()
        self.account = service.sign_up()
        self.ours = self.page(ISSUER)

    def page(self, origin):
        page = self.visitor.page()
        page.open_blank(origin)
        return page

    def submit(self, page, path, **fields):
        """A form of a page, sent as a user or a script does it; the status of the page that comes of it."""
        page.follow(lambda: page.ask(f"""{{
            const form = document.createElement("form");
            Object.assign(form, {{method: "post", action: {ISSUER + path!r}}});
            for (const [name, value] of Object.entries({fields!r}))
                form.append(Object.assign(document.createElement("input"), {{name, value}}));
            document.body.append(form);
            form.submit();
        }}"""))
        return page.status

    def expect_cookie(self, name, secure=service.IS_SECURE, hidden=True):
        cookie = self.visitor.cookies()[name]
        self.assertEqual((cookie["secure"], cookie["httpOnly"], cookie.get("sameSite"), cookie["path"]), (secure, hidden, "Lax", "/"))
        self.assertFalse(cookie["domain"].startswith("."), "it is for one host only")
        self.assertEqual(name in self.ours.ask("document.cookie"), not hidden)


class CookieSession(APITestCase):
    credentials = property(lambda self: {"email": self.account.email, "password": PASSWORD})

    def sign_in(self):
        self.assertEqual(self.ours.fetch("/login", "POST", json=self.credentials)[0], 200)
        return self.ours.fetch_json("/session")["csrf_token"]

    def is_alive(self):
        return self.ours.fetch("/session")[0] == 200

    def test_a_script_of_ours_signs_in_acts_and_signs_out(self):
        token = self.sign_in()
        self.expect_cookie(SID)
        self.assertEqual(self.ours.fetch("/touch")[0], 200)
        self.assertEqual(self.ours.fetch("/logout-all", "POST", json={"keep_current": True})[0], 200)
        self.assertEqual(self.ours.fetch("/logout-all", "POST", json={"keep_current": True}, fields={"X-CSRF-Token": token})[0], 200)
        self.assertEqual(self.ours.fetch("/logout-all", "POST", json={}, fields={"X-CSRF-Token": "other"})[0], 403)
        self.assertTrue(self.is_alive())
        self.assertEqual(self.ours.fetch("/logout", "POST", json={})[0], 200)
        self.assertEqual(self.visitor.cookies(), {})

    def test_a_remembered_session_outlives_the_browser_and_another_does_not(self):
        for remember in (True, False):
            self.ours.fetch("/login", "POST", json=self.credentials | {"remember": remember})
            self.assertEqual(self.visitor.cookies()[SID]["session"], not remember)

    def test_a_form_of_ours_needs_its_token(self):
        self.assertEqual(self.submit(self.page(ISSUER), "/login", **self.credentials), 200)
        token = self.ours.fetch_json("/session")["csrf_token"]
        self.assertEqual(self.submit(self.page(ISSUER), "/logout-all"), 403)
        self.assertEqual(self.ours.fetch("/logout-all", "POST", form={})[0], 403)
        self.assertTrue(self.is_alive())
        self.assertEqual(self.submit(self.page(ISSUER), "/logout-all", csrf_token=token), 200)
        self.assertFalse(self.is_alive())

    def test_no_page_elsewhere_acts_for_a_user_or_reads_what_is_theirs(self):
        self.sign_in()
        for origin, has_cookie in ((SAME_SITE, True), (OTHER_SITE, False)):
            with self.subTest(origin):
                page = self.page(origin)
                page.requests.clear()
                for path, method in (("/session", "GET"), ("/touch", "GET"), ("/sessions", "GET"), ("/logout", "POST")):
                    self.assertEqual(page.fetch(ISSUER + path, method), (0, ""))
                # The first kind goes out, and is refused where it arrives. The second is asked about first, and never goes out.
                for type in (FORM, "text/plain", "application/json"):
                    page.fetch(ISSUER + "/logout-all", "POST", fields={"Content-Type": type}, body="{}", mode="no-cors")
                    self.assertEqual(page.fetch(ISSUER + "/logout-all", "POST", fields={"Content-Type": type}, body="{}"), (0, ""))
                page.settle()
                sent = [request for request in page.requests_to(ISSUER) if request["method"] == "POST" and "status" in request]
                self.assertGreaterEqual(len(sent), 5)
                self.assertLessEqual({request["status"] for request in sent}, {403, 415})
                self.assertEqual({SID in request["fields"].get("cookie", "") for request in sent}, {has_cookie})
                self.assertEqual(self.submit(page, "/logout-all"), 403)
                self.assertEqual(self.submit(self.page(origin), "/logout"), 403)
                self.assertTrue(self.is_alive())

    def test_no_page_elsewhere_signs_its_visitor_in(self):
        for origin in (SAME_SITE, OTHER_SITE):
            self.assertEqual(self.submit(self.page(origin), "/login", **self.credentials), 403)
            page = self.page(origin)
            page.fetch(ISSUER + "/login", "POST", form=self.credentials, mode="no-cors")
            self.assertEqual(self.visitor.cookies(), {})

    @unittest.skipUnless(service.IS_SECURE, "the prefix demands https")
    def test_no_host_next_to_ours_plants_a_cookie(self):
        page = self.page(SAME_SITE)
        page.ask(f"document.cookie = '{SID}=kdc_planted; Secure; Path=/; Domain=town.test'")
        self.assertEqual(self.visitor.cookies(), {})
        self.sign_in()
        page.ask(f"document.cookie = '{SID}=kdc_planted; Secure; Path=/'")
        self.assertTrue(self.is_alive())

    @unittest.skipUnless(TRUSTED, "no page elsewhere is trusted")
    def test_a_trusted_page_next_to_us_acts_for_its_user(self):
        page = self.page(TRUSTED)
        self.assertEqual(page.fetch(ISSUER + "/login", "POST", json=self.credentials)[0], 200)
        self.expect_cookie(SID)
        token = page.fetch_json(ISSUER + "/session")["csrf_token"]
        fields = {"X-CSRF-Token": token}
        self.assertEqual(page.fetch(ISSUER + "/touch")[0], 200)
        self.assertEqual(page.fetch(ISSUER + "/logout-all", "POST", json={"keep_current": True}, fields=fields)[0], 200)
        self.assertEqual(page.fetch(ISSUER + "/session/none", "DELETE")[0], 404)
        self.assertEqual(page.fetch(ISSUER + "/logout-all", "POST", form={})[0], 403)
        self.assertEqual(page.fetch(ISSUER + "/logout-all", "POST", form={"csrf_token": token})[0], 200)
        self.assertEqual(page.fetch(ISSUER + "/session")[0], 401)

    @unittest.skipUnless(TRUSTED, "no page elsewhere is trusted")
    def test_a_trusted_page_on_another_site_reads_answers_but_has_no_cookie(self):
        self.sign_in()
        page = self.page(TRUSTED_SITE)
        status, text = page.fetch(ISSUER + "/session")
        self.assertEqual(status, 401)
        self.assertIn("unauthenticated", text)
        self.assertEqual(page.fetch(ISSUER + "/login", "POST", json=self.credentials)[0], 200)
        self.assertEqual(page.fetch(ISSUER + "/session")[0], 401)
        self.assertTrue(self.is_alive())


class RestAuth(APITestCase):
    """`KIDOBAN_REST_AUTH_TOKENS` says what a sign-in sets: Django's two cookies, and those of the JWTs where they have names."""

    tokens = [name for name in (os.environ.get(f"KIDOBAN_REST_AUTH_JWT_{kind}COOKIE") for kind in ("", "REFRESH_")) if name]
    base = f"{ISSUER}/rest-auth"

    def sign_in(self, page=None):
        body = {"email": self.account.email, "password": PASSWORD}
        status, text = (page or self.ours).fetch(self.base + "/login/", "POST", json=body)
        self.assertEqual(status, 200, text)

    def is_alive(self):
        return self.ours.fetch(self.base + "/user/")[0] == 200

    def test_a_script_of_ours_signs_in_acts_and_signs_out(self):
        self.sign_in()
        for name in ("sessionid", *self.tokens):
            self.expect_cookie(name)
        self.expect_cookie("csrftoken", hidden=False)
        self.assertEqual(self.ours.fetch_json(self.base + "/user/")["email"], self.account.email)
        self.assertEqual(self.ours.fetch(self.base + "/user/", "PATCH", json={"first_name": "Kana"})[0], 200)
        self.assertEqual(self.ours.fetch(self.base + "/user/", "PATCH", form={"first_name": "Kana"})[0], 200)
        if self.tokens:
            self.assertEqual(self.ours.fetch(self.base + "/token/refresh/", "POST", json={})[0], 200)
            self.assertTrue(self.is_alive())
        self.assertEqual(self.ours.fetch(self.base + "/logout/", "POST", json={})[0], 200)
        self.assertFalse(self.is_alive())
        self.assertLessEqual(set(self.visitor.cookies()), {"csrftoken"})

    def test_no_page_elsewhere_acts_for_a_user_or_reads_what_is_theirs(self):
        self.sign_in()
        for origin in (SAME_SITE, OTHER_SITE):
            with self.subTest(origin):
                page = self.page(origin)
                self.assertEqual(page.fetch(self.base + "/user/"), (0, ""))
                page.requests.clear()
                for path in ("/logout/", "/password/change/", "/token/refresh/"):
                    page.fetch(self.base + path, "POST", form={"new_password1": NEW_PASSWORD}, mode="no-cors")
                page.settle()
                answers = page.statuses_of(ISSUER)
                self.assertEqual((len(answers), answers[0]), (3, 403))
                self.assertLessEqual(set(answers), {401, 403, 404})
                self.assertEqual(page.fetch(self.base + "/user/", "PATCH", json={"first_name": "Eve"}), (0, ""))
                self.assertEqual(self.submit(page, "/rest-auth/logout/"), 403)
                self.assertTrue(self.is_alive())
                self.assertNotEqual(self.ours.fetch_json(self.base + "/user/").get("first_name"), "Eve")

    def test_no_page_elsewhere_signs_its_visitor_in(self):
        body = {"email": self.account.email, "password": PASSWORD}
        for origin in (SAME_SITE, OTHER_SITE):
            for path in ("/rest-auth/login/", "/dj-rest-auth/login/", "/rest-auth/registration/"):
                self.assertEqual(self.submit(self.page(origin), path, **body), 403)
        self.assertEqual(self.visitor.cookies(), {})

    def test_no_link_image_or_typed_address_signs_out(self):
        self.sign_in()
        for origin in (SAME_SITE, OTHER_SITE, ISSUER):
            page = self.page(origin)
            page.requests.clear()
            if origin != ISSUER:
                page.ask(f"new Promise(done => Object.assign(new Image(), {{onerror: done, src: {self.base + '/logout/'!r}}}))")
                page.settle()
                self.assertEqual(page.statuses_of(ISSUER), [405])
                page.follow(lambda: page.ask(f"location.href = {self.base + '/logout/'!r}"))
                self.assertEqual(page.status, 405)
            self.assertTrue(self.is_alive())
        page = self.visitor.page()
        page.open(self.base + "/logout/")
        self.assertEqual(page.status, 405)
        self.assertTrue(self.is_alive())

    @unittest.skipUnless(TRUSTED, "no page elsewhere is trusted")
    def test_a_trusted_page_next_to_us_acts_for_its_user(self):
        page = self.page(TRUSTED)
        self.sign_in(page)
        self.assertEqual(page.fetch_json(self.base + "/user/")["email"], self.account.email)
        self.assertEqual(page.fetch(self.base + "/user/", "PATCH", json={"first_name": "Kana"})[0], 200)
        self.assertEqual(page.fetch(self.base + "/logout/", "POST", json={})[0], 200)
        self.assertFalse(self.is_alive())


if __name__ == "__main__":
    unittest.main()
