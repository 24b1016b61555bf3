"""The pages on which people sign in, agree and look after their account (docs/sign-in.md), on a phone, as apps lead there and back."""

import os
import secrets
import unittest
import urllib.parse

import service
from pages import CONTRAST, EXPECTED
from service import ISSUER, NEW_PASSWORD, PASSWORD, Client
from world import OTHER_SITE, BrowserTestCase, World

RP = "https://rp.test"
OTHER_RP = "https://partner-app.test"
PROVIDER = os.environ.get("TEST_PROVIDER_URL")
WIDTH = 360
SIGN_UP = "p:last-of-type a"


class SignInTestCase(BrowserTestCase):
    language = "en"

    def page(self, visitor=None, **options):
        """One that finds something at the apps' addresses."""
        page = (visitor or self.visitor).page(**{"width": WIDTH, "height": 640} | options)
        page.call("Fetch.enable", patterns=[{"urlPattern": site + "/*"} for site in (RP, OTHER_RP)])
        return page

    def enter(self, page, **fields):
        """Types into fields, by their ids."""
        for id, text in fields.items():
            page.ask(f"{{ const field = document.getElementById({id!r}); field.focus(); field.select(); }}")
            page.type(text)
            # Keys are on their way for a moment.
            page.browser.until(lambda: page.ask(f"document.getElementById({id!r}).value") == text, "what was typed")

    def press(self, page, selector="#submit"):
        page.follow(lambda: click(page, selector))

    def sign_in(self, page, account, password=PASSWORD):
        self.enter(page, email=account.email, password=password)
        self.press(page)

    def status(self, page):
        """Of the page that is shown, whatever led there."""
        return page.ask("performance.getEntriesByType('navigation')[0].responseStatus")

    def answer(self, page, site=RP):
        """What the app was sent."""
        self.assertTrue(page.url.startswith(site + "/callback?"), page.url)
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).query))

    def expect_sound(self, page, title=None, dark=None):
        """What holds of each page: it fits, it can be tapped and read out, and the browser has nothing to say."""
        if title:
            self.assertEqual(page.ask("document.querySelector('h1').innerText"), title, page.text)
        self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), WIDTH, page.url)
        self.assertEqual(page.ask("document.documentElement.lang"), self.language)
        self.assertEqual((len(page.controls("main")), page.ask("document.querySelectorAll('h1').length")), (1, 1))
        nameless = page.ask("[...document.querySelectorAll('input:not([type=hidden]):not([hidden])')].filter(i => !i.labels.length).map(i => i.name)")
        self.assertEqual(nameless, [])
        for role, name, _ in page.controls("textbox", "checkbox", "button", "link"):
            self.assertTrue(name, (page.url, role))
        ids = page.ask("[...document.querySelectorAll('[id]')].map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)), ids)
        small = page.ask("""[...document.querySelectorAll('input:not([type=hidden]):not([type=checkbox]), button, .button, summary, label.check')]
            .filter(e => e.checkVisibility()).filter(e => e.getBoundingClientRect().height < 43.9).map(e => e.outerHTML)""")
        self.assertEqual(small, [])
        # Telephones zoom into what is smaller.
        self.assertEqual(page.ask("[...document.querySelectorAll('input')].filter(i => parseFloat(getComputedStyle(i).fontSize) < 16).length"), 0)
        if dark is not None:
            ground = page.ask("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)")
            self.assertEqual(max(ground) < 80, dark, ground)
        self.expect_quiet(page)

    def expect_quiet(self, page):
        said = [text for text in page.complaints if not text.startswith(EXPECTED)]
        self.assertEqual(said, [], page.url)
        known = {urllib.parse.urlsplit(site).netloc for site in filter(None, (ISSUER, RP, OTHER_RP, PROVIDER))}
        self.assertLessEqual({urllib.parse.urlsplit(r["url"]).netloc for r in page.requests.values() if "url" in r}, known)

    def kinds(self, page, form):
        return page.ask(f"[...document.querySelectorAll({form!r} + ' input:not([type=hidden]):not([hidden])')].map(i => [i.type, i.autocomplete])")

    def at_consent(self, client, page=None, **more):
        """Somebody who has signed in for a client that asks."""
        account, page = service.sign_up(), page or self.page()
        page.open(client.authorize(**more))
        self.sign_in(page, account)
        return account, page


class CodeFlow(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client.web("Evening Post")

    def test_a_new_user_goes_all_the_way_in_both_languages_by_day_and_by_night_with_scripts_and_without(self):
        titles = {
            "en": ("Sign in", "Create an account", "Evening Post asks for access"),
            "ja": ("ログイン", "アカウントの作成", "Evening Post がアクセスを求めています"),
        }
        for self.language, dark, scripts in (("en", False, False), ("ja", True, True)):
            with self.subTest(self.language):
                visitor, email = World.begin().visitor(), service.new_address()
                page = self.page(visitor, language=self.language, dark=dark, scripts=scripts)
                sign_in, sign_up, consent = titles[self.language]
                page.open(self.client.authorize(state="a b&c"))
                self.expect_sound(page, sign_in, dark)
                self.press(page, SIGN_UP)
                self.expect_sound(page, sign_up, dark)
                self.assertIn("Evening Post", page.text)
                self.assertEqual(self.kinds(page, "form"), [["email", "username"], ["password", "new-password"], ["text", "name"]])
                self.enter(page, email=email, password="short")
                self.press(page)
                self.assertEqual(self.status(page), 400)
                self.expect_sound(page, sign_up, dark)
                self.assertEqual(page.ask("[document.getElementById('email').value, document.getElementById('password').value]"), [email, ""])
                self.enter(page, password=PASSWORD, name="Kana 山田 <b>")
                self.press(page)
                self.expect_sound(page, consent, dark)
                self.assertIn(email, page.text)
                self.press(page, "#consent")
                answer = self.answer(page)
                self.assertEqual((answer["state"], answer["iss"]), ("a b&c", ISSUER))
                self.expect_quiet(page)
                status, claims = service.user_info(self.client.redeem(page.url))
                self.assertEqual((status, claims["email"], claims["name"]), (200, email, "Kana 山田 <b>"))
                # Nobody is asked a second time.
                page.open(self.client.authorize(state="two"))
                self.assertEqual(self.answer(page)["state"], "two")
                visitor.leave()

    def test_a_wrong_password_is_told_and_nothing_of_it_is_kept(self):
        account, page = service.sign_up(), self.page()
        page.open(self.client.authorize())
        self.sign_in(page, account, "wrong horse battery")
        self.assertEqual(self.status(page), 400)
        self.expect_sound(page, "Sign in")
        self.assertIn("do not go together", page.ask("document.querySelector('[role=alert]').innerText"))
        self.assertEqual(len(page.controls("alert")), 1)
        self.assertNotIn("wrong horse", page.source + page.url)
        self.assertEqual(page.ask("document.activeElement.id"), "password")
        # The address is there already; Enter sends the form.
        page.type(PASSWORD)
        page.follow(lambda: page.press("Enter"))
        self.expect_sound(page, "Evening Post asks for access")
        self.assertNotIn(PASSWORD, page.source + page.url)

    def test_who_does_not_agree_is_led_back_with_that(self):
        _, page = self.at_consent(self.client)
        self.press(page, "#deny")
        answer = self.answer(page)
        self.assertEqual((answer["error"], answer["state"], "code" in answer), ("access_denied", "one", False))
        self.expect_quiet(page)

    def test_the_answer_by_a_form_reaches_the_app(self):
        _, page = self.at_consent(self.client, response_mode="form_post")
        page.follow(lambda: self.press(page, "#consent"))
        self.assertEqual(page.url, RP + "/callback")
        self.assertEqual(page.documents[-1]["method"], "POST")
        self.expect_quiet(page)

    def test_without_scripts_that_form_has_a_button(self):
        page = self.page(language="ja", scripts=False)
        self.at_consent(self.client, page, response_mode="form_post")
        self.press(page, "#consent")
        self.assertEqual(page.ask("[document.documentElement.lang, document.title]"), ["ja", "続ける"])
        self.assertGreaterEqual(page.ask("document.querySelector('button').getBoundingClientRect().height"), 44)
        self.press(page, "button")
        self.assertEqual(page.url, RP + "/callback")
        self.expect_quiet(page)

    def test_fields_are_found_by_password_managers_and_passkeys_and_by_the_keyboard_in_order(self):
        page = self.page()
        page.open(self.client.authorize(login_hint="kana@example.com"))
        self.assertEqual(page.ask("document.activeElement.id"), "password", "the address is known")
        self.assertEqual(page.ask("document.getElementById('email').value"), "kana@example.com")
        page.open(self.client.authorize())
        self.assertEqual(self.kinds(page, "form"), [["email", "username webauthn"], ["password", "current-password"], ["checkbox", ""]])
        self.assertEqual(page.ask("document.activeElement.id"), "email")
        seen = []
        for _ in range(page.ask("document.querySelectorAll('input:not([type=hidden]), button, a').length") - 1):
            page.press("Tab")
            seen.append(page.ask("document.activeElement.name || document.activeElement.innerText"))
            self.assertGreaterEqual(page.ask("parseFloat(getComputedStyle(document.activeElement).outlineWidth)"), 2, seen)
        buttons = ["Continue with Google", "Continue with Apple"] if PROVIDER else []
        self.assertEqual(seen, ["password", "remember", "Sign in", *buttons, "Forgot your password?", "Create an account"])
        self.expect_sound(page, "Sign in")

    def test_a_forgotten_password_is_set_anew_by_mail_and_the_way_goes_on(self):
        account, page = service.sign_up(), self.page()
        page.open(self.client.authorize())
        self.press(page, "p.links a")
        self.expect_sound(page, "Forgot your password?")
        self.assertEqual(self.kinds(page, "form"), [["email", "username"]])
        self.enter(page, email=account.email)
        self.press(page)
        self.expect_sound(page, "Check your mail")
        mail = self.page()
        mail.open(service.link(account, "password_reset"))
        self.enter(mail, password=NEW_PASSWORD, password_again=NEW_PASSWORD)
        self.press(mail, "button")
        self.assertIn("The password is saved", mail.text)
        mail.open(service.link(account, "password_reset"))
        self.assertEqual(self.status(mail), 404)
        self.press(mail, "a.button")
        self.expect_sound(mail, "Sign in")
        self.press(page, "p.links a")
        self.sign_in(page, account, NEW_PASSWORD)
        self.expect_sound(page, "Evening Post asks for access")

    def test_a_request_that_is_not_right_ends_on_a_page(self):
        for self.language, title in (("en", "This sign-in cannot go on"), ("ja", "ログインを続けられません")):
            page = self.page(language=self.language)
            page.open(self.client.authorize(redirect_uri="https://evil.test/callback"))
            self.assertEqual(self.status(page), 400)
            self.expect_sound(page, title)
            self.assertNotIn("evil.test", page.source)
            for path in ("/sign-in?continue=https://evil.test/", "/consent", "/sign-in/callback/none?state=x", "/sign-up/x"):
                page.open(ISSUER + path)
                self.assertIn(self.status(page), (400, 404), path)
                self.expect_sound(page)
                self.assertEqual(page.ask("document.querySelector('a.button').pathname"), "/account", "there is a way on")

    def test_all_of_it_can_be_read_by_day_and_by_night(self):
        artist = self.visitor.page()
        for dark in (False, True):
            account, page = service.sign_up(), self.page(World.begin().visitor(), dark=dark, height=3000)
            page.open(self.client.authorize())
            for step in ("sign-in", "consent", "account"):
                if step == "sign-in":
                    self.sign_in(page, account, "wrong horse battery")
                elif step == "consent":
                    self.sign_in(page, account)
                else:
                    page.open(ISSUER + "/account")
                    page.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
                for name, picture in page.pictures("h1, h2, h3, p, label, li small, button, .button, summary"):
                    seen = artist.ask(f"({CONTRAST})({picture!r})")
                    self.assertGreaterEqual(seen["contrast"], 4.5, (dark, step, name))
                self.expect_sound(page, dark=dark)


class TabsAndTheWayBack(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client, cls.other = Client.web("Evening Post"), Client.web("Morning Mail", site=OTHER_RP)

    def test_two_tabs_at_once_each_go_on_to_their_own_app(self):
        account, first, second = service.sign_up(), self.page(), self.page()
        first.open(self.client.authorize(state="first"))
        second.open(self.other.authorize(state="second"))
        self.sign_in(first, account)
        self.press(first, "#consent")
        self.assertEqual(self.answer(first)["state"], "first")
        self.assertEqual(service.user_info(self.client.redeem(first.url))[1]["email"], account.email)
        # The form that was open before somebody signed in next to it.
        self.sign_in(second, account)
        self.expect_sound(second, "Morning Mail asks for access")
        self.press(second, "#consent")
        self.assertEqual(self.answer(second, OTHER_RP)["state"], "second")
        self.assertEqual(service.user_info(self.other.redeem(second.url))[1]["email"], account.email)

    def test_two_questions_at_once_are_two(self):
        _, first = self.at_consent(self.client, state="first")
        second = self.page()
        second.open(self.other.authorize(state="second"))
        self.press(second, "#deny")
        self.press(first, "#consent")
        self.assertEqual(self.answer(first)["state"], "first")
        self.assertEqual(self.answer(second, OTHER_RP)["error"], "access_denied")
        self.client.redeem(first.url)

    def test_a_question_that_another_users_session_has_overtaken_is_asked_again(self):
        _, first = self.at_consent(self.client)
        other, second = service.sign_up(), self.page()
        second.open(ISSUER + "/sign-in")
        self.sign_in(second, other)
        self.press(first, "#consent")
        self.assertEqual(self.status(first), 403)
        self.expect_sound(first, "Evening Post asks for access")
        self.assertIn(other.email, first.text)

    def test_the_way_back_is_harmless(self):
        account, page = self.at_consent(self.client)
        self.press(page, "#consent")
        code = self.answer(page)["code"]
        tokens = self.client.redeem(page.url)
        page.back()
        self.expect_sound(page, "Evening Post asks for access")
        self.press(page, "#consent")
        self.assertNotIn(self.answer(page)["code"], (code, None))
        page.back()
        page.back()
        self.expect_sound(page, "Sign in")
        self.assertEqual(page.ask("document.getElementById('password').value"), "")
        self.assertNotIn(PASSWORD, page.source)
        # The same user, by the form of the way back.
        self.sign_in(page, account)
        self.assertIn("code", self.answer(page))
        self.assertTrue(tokens["id_token"])

    def test_after_a_sign_out_the_way_back_shows_nothing_of_the_user(self):
        account, page = self.at_consent(self.client)
        page.open(ISSUER + "/account")
        self.assertIn(account.email, page.text)
        page.open(ISSUER + "/sign-out")
        self.expect_sound(page, "Sign out?")
        self.press(page)
        self.expect_sound(page, "You are signed out")
        for _ in range(2):
            page.back()
            self.assertNotIn(account.email, page.source, page.url)
        self.assertEqual(page.restored, 0)


class Device(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client("Kitchen Radio", "--device", "--scope", "openid", "--scope", "email")

    def ask(self):
        status, about = self.client.post("/oauth2/device_authorization", scope="openid email")
        self.assertEqual(status, 200, about)
        return about

    def token(self, about):
        return self.client.post(
            "/oauth2/token", grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=about["device_code"])

    def test_a_code_is_typed_looked_at_and_allowed_or_not(self):
        texts = {
            "en": ("Connect a device", "Kitchen Radio asks for access", "Your device is connected", "Your device has no access"),
            "ja": ("デバイスの接続", "Kitchen Radio がアクセスを求めています", "デバイスを接続しました", "デバイスのアクセスを許可しませんでした"),
        }
        for self.language, choice in (("en", "#consent"), ("ja", "#deny")):
            entry, question, allowed, denied = texts[self.language]
            about, account = self.ask(), service.sign_up()
            page = self.page(World.begin().visitor(), language=self.language, dark=self.language == "ja")
            page.open(about["verification_uri"])
            self.sign_in(page, account)
            self.expect_sound(page, entry)
            self.assertEqual((page.ask("document.activeElement.id"), self.kinds(page, "form")), ("user_code", [["text", "off"]]))
            self.enter(page, user_code="BBBB-BBBB")
            self.press(page)
            self.assertEqual(self.status(page), 400)
            self.expect_sound(page, entry)
            self.enter(page, user_code=about["user_code"].lower().replace("-", " "))
            self.press(page)
            self.expect_sound(page, question)
            self.assertIn(about["user_code"], page.text)
            self.assertEqual(page.ask("[...document.querySelectorAll('code')].map(e => { const r = document.createRange(); r.selectNodeContents(e); return r.getClientRects().length; })[0]"), 1)
            self.press(page, choice)
            self.expect_sound(page, allowed if choice == "#consent" else denied)
            # Once more is not a second decision, nor a code that is wrong.
            page.follow(lambda: page.call("Page.reload"))
            self.expect_sound(page, entry)
            self.assertEqual(page.controls("alert"), [])
            status, answer = self.token(about)
            self.assertEqual((status, answer.get("error")), (200, None) if choice == "#consent" else (400, "access_denied"))

    def test_a_code_in_the_address_is_filled_in_and_still_looked_at(self):
        about, page = self.ask(), self.page()
        page.open(about["verification_uri_complete"])
        self.sign_in(page, service.sign_up())
        self.expect_sound(page, "Connect a device")
        self.assertEqual(page.ask("document.getElementById('user_code').value"), about["user_code"])
        self.assertEqual(self.token(about)[1]["error"], "authorization_pending")


class SignOut(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client.web("Evening Post", "--post-logout-redirect-uri", RP + "/callback")

    def test_an_app_signs_its_user_out_and_has_them_back(self):
        _, page = self.at_consent(self.client)
        self.press(page, "#consent")
        tokens = self.client.redeem(page.url)
        query = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": self.client.callback, "state": "bye"}
        page.open(f"{ISSUER}/oauth2/logout?{urllib.parse.urlencode(query)}")
        self.assertEqual(self.answer(page), {"state": "bye"})
        self.assertFalse([name for name in self.visitor.cookies() if name.endswith("kidoban_session")])
        self.assertEqual(service.user_info(tokens)[0], 401)
        self.expect_quiet(page)

    def test_the_pages_of_apps_are_loaded_out_of_sight_before_the_browser_goes_on(self):
        client = Client.web(
            "Evening Post", "--first-party", "--post-logout-redirect-uri", RP + "/callback", "--front-channel-logout-uri", OTHER_RP + "/out",
            "--front-channel-logout-session")
        _, page = self.at_consent(client)
        tokens = client.redeem(page.url)
        query = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": client.callback, "state": "bye"}
        page.open(f"{ISSUER}/oauth2/logout?{urllib.parse.urlencode(query)}")
        self.expect_sound(page, "You are signed out")
        page.arrive(RP)
        self.assertEqual(self.answer(page), {"state": "bye"})
        loaded = [urllib.parse.urlsplit(request["url"]) for request in page.requests_to(OTHER_RP)]
        self.assertEqual([url.path for url in loaded], ["/out"])
        told = dict(urllib.parse.parse_qsl(loaded[0].query))
        self.assertEqual((told["iss"], set(told)), (ISSUER, {"iss", "sid"}))

    def test_a_form_of_the_app_does_the_same_and_who_is_not_known_is_asked(self):
        _, page = self.at_consent(self.client)
        page.open_blank(RP)
        page.call("Fetch.enable", patterns=[{"urlPattern": RP + "/*"}])
        fields = {"client_id": self.client.id, "post_logout_redirect_uri": self.client.callback, "state": "bye"}
        post(page, ISSUER + "/oauth2/logout", fields)
        self.expect_sound(page, "Sign out?")
        self.press(page)
        self.assertEqual(self.answer(page), {"state": "bye"})


class AccountPage(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client.web("Evening Post")

    def test_devices_consents_name_and_password_are_looked_after(self):
        account, page = self.at_consent(self.client)
        self.press(page, "#consent")
        tokens = self.client.redeem(page.url)
        other = self.page(World.begin().visitor())
        other.open(ISSUER + "/account")
        self.sign_in(other, account)
        page.open(ISSUER + "/account")
        self.expect_sound(page, "Your account")
        for part in (account.email, "Evening Post", "This browser"):
            self.assertIn(part, page.text)
        for summary in range(page.ask("document.querySelectorAll('summary').length")):
            page.ask(f"document.querySelectorAll('summary')[{summary}].click()")
        self.expect_sound(page)
        self.assertEqual(self.kinds(page, "form[action$=new-password]"), [["password", "current-password"], ["password", "new-password"]])
        self.assertEqual(self.kinds(page, "form[action$=new-email]"), [["email", "email"], ["password", "current-password"]])
        self.enter(page, name="Kana 山田")
        self.press(page, "form[action$='/account/name'] button")
        self.assertIn("Your name is saved.", page.ask("document.querySelector('[role=status]').innerText"))
        self.press(page, "form[action$=withdraw] button")
        self.assertIn("Evening Post has no access any more.", page.text)
        self.assertEqual(service.user_info(tokens)[0], 401)
        page.ask("document.getElementById('old_password').closest('details').open = true")
        self.enter(page, old_password="wrong horse battery", new_password=NEW_PASSWORD)
        self.press(page, "form[action$=new-password] button")
        self.assertEqual(self.status(page), 400)
        self.expect_sound(page, "Your account")
        self.assertTrue(page.ask("document.getElementById('old_password').checkVisibility()"), "what is wrong is seen")
        self.assertEqual(page.ask("document.activeElement.id"), "old_password")
        username = "document.querySelector('form[action$=new-password] [autocomplete=username]').value"
        self.assertEqual(page.ask(username), account.email, "for a password manager")
        self.enter(page, old_password=PASSWORD, new_password=NEW_PASSWORD)
        self.press(page, "form[action$=new-password] button")
        self.assertIn("The password is saved.", page.text)
        other.open(ISSUER + "/account")
        self.assertIn("/sign-in", other.url)
        self.sign_in(other, account, NEW_PASSWORD)
        self.expect_sound(other, "Your account")
        page.open(ISSUER + "/account")
        self.press(page, "form[action$=end-others] button")
        self.assertIn("All other devices are signed out.", page.text)
        other.open(ISSUER + "/account")
        self.assertIn("/sign-in", other.url)

    def test_it_speaks_japanese_at_night_and_an_account_ends_for_good(self):
        self.language = "ja"
        account, page = service.sign_up(), self.page(language="ja", dark=True)
        page.open(ISSUER + "/account")
        self.sign_in(page, account)
        self.expect_sound(page, "アカウント", dark=True)
        page.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
        self.expect_sound(page, dark=True)
        form = "form[action$=delete]"
        page.ask(f"document.querySelector({form + ' button'!r}).click()")
        self.assertFalse(page.ask(f"document.querySelector({form!r}).checkValidity()"), "it has to be meant")
        page.ask(f"document.querySelector({form + ' [type=checkbox]'!r}).click()")
        self.press(page, form + " button")
        self.expect_sound(page, dark=True)
        self.assertFalse(service.is_signed_in(account))
        page.open(ISSUER + "/account")
        self.assertIn("/sign-in", page.url)


class Elsewhere(SignInTestCase):
    def test_no_page_elsewhere_signs_its_visitor_in_or_acts_for_one(self):
        account, page = service.sign_up(), self.page()
        page.open_blank(OTHER_SITE)
        post(page, ISSUER + "/sign-in", {"email": account.email, "password": PASSWORD})
        self.assertEqual(self.status(page), 403)
        self.assertFalse([name for name in self.visitor.cookies() if name.endswith("kidoban_session")])
        ours = self.page()
        ours.open(ISSUER + "/account")
        self.sign_in(ours, account)
        token = ours.ask("document.querySelector('[name=form_token]').value")
        for path in ("/account/delete", "/account/end-others", "/sign-out"):
            page.open_blank(OTHER_SITE)
            post(page, ISSUER + path, {"form_token": token, "confirmed": "on"})
            self.assertEqual(self.status(page), 403, path)
        ours.open(ISSUER + "/account")
        self.expect_sound(ours, "Your account")

    def test_no_other_page_frames_them(self):
        for origin in (OTHER_SITE, ISSUER):
            page = self.visitor.page()
            page.open_blank(origin)
            page.ask(f"""new Promise(done => {{
                const frame = document.createElement("iframe");
                frame.onload = done;
                frame.src = {ISSUER + "/sign-in"!r};
                document.body.append(frame);
            }})""")
            self.assertTrue(any("frame-ancestors 'none'" in text for text in page.complaints), page.complaints)


@unittest.skipUnless(PROVIDER, "nobody plays Apple and Google")
class Providers(SignInTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client.web("Evening Post")

    def test_a_button_leads_to_the_provider_and_back_and_on_to_the_app(self):
        for name, title in (("google", "Continue with Google"), ("apple", "Continue with Apple")):
            with self.subTest(name):
                visitor, email = World.begin().visitor(), f"visitor-{secrets.token_hex(6)}@gmail.com"
                page = self.page(visitor)
                page.open(self.client.authorize(state=name))
                self.press(page, f"form:has([name=provider][value={name}]) button")
                self.assertTrue(page.url.startswith(f"{PROVIDER}/{name}/authorize?"), page.url)
                self.press(page, "#cancel")
                page.arrive(ISSUER)
                self.expect_sound(page, "Sign in")
                self.assertEqual(self.status(page), 400)
                self.assertIn(title, page.text)
                self.press(page, f"form:has([name=provider][value={name}]) button")
                self.enter(page, email=email)
                # Apple's answer is a form that another site sends: our cookies do not come with it.
                click(page, "#submit")
                page.arrive(ISSUER + "/consent")
                self.expect_sound(page, "Evening Post asks for access")
                self.press(page, "#consent")
                self.assertEqual(self.answer(page)["state"], name)
                self.assertEqual(service.user_info(self.client.redeem(page.url))[1]["email"], email)
                visitor.leave()


def click(page, selector):
    """As a user does it: what a script does by itself is left out of the way back."""
    page.call("Runtime.evaluate", expression=f"document.querySelector({selector!r}).click()", userGesture=True)


def post(page, url, fields):
    """Has a page send a form, as its user does."""
    page.follow(lambda: page.call("Runtime.evaluate", userGesture=True, expression=f"""{{
        const form = document.createElement("form");
        Object.assign(form, {{method: "post", action: {url!r}}});
        for (const [name, value] of Object.entries({fields!r}))
            form.append(Object.assign(document.createElement("input"), {{name, value}}));
        document.body.append(form);
        form.submit();
    }}"""))


if __name__ == "__main__":
    unittest.main()
