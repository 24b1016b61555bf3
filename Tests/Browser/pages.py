"""The pages behind the links in mails (docs/apis/pages.md), as somebody sees and uses them who has such a mail."""

import unittest
import urllib.parse

import service
from service import NEW_PASSWORD, PASSWORD
from world import OTHER_SITE, BrowserTestCase

# What the browser logs of each answer that is no success, of pages that are refused on purpose too.
EXPECTED = "Failed to load resource: the server responded with a status of 4"

# Of a picture of one element: how much the pixel that stands out most does so against the colour that fills the most (WCAG 2, 1.4.3).
CONTRAST = """
async function (picture) {
    const image = new Image();
    image.src = "data:image/png;base64," + picture;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data, counts = new Map();
    for (let i = 0; i < pixels.length; i += 4) {
        const colour = pixels.slice(i, i + 3).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    const light = colour => colour.split(",").map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = light([...counts].sort((a, b) => b[1] - a[1])[0][0]);
    const ratios = [...counts.keys()].map(light)
        .map(ink => (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05));
    return {ground, contrast: Math.max(...ratios)};
}
"""


class PageTestCase(BrowserTestCase):
    def expect_quiet(self, page, *complaints):
        """Nothing went elsewhere, nothing told where it came from, and the browser has nothing to say."""
        host = urllib.parse.urlsplit(service.ISSUER).netloc
        for request in page.requests.values():
            if request.get("type") or request.get("url"):
                self.assertEqual(urllib.parse.urlsplit(request["url"]).netloc, host)
                self.assertNotIn("referer", request.get("fields", {}))
                self.assertFalse(request.get("from_cache"))
        said = [text for text in page.complaints if not text.startswith(EXPECTED)]
        self.assertEqual(said, list(complaints))

    def fill(self, page, *passwords):
        """With the keyboard alone, from the top of the page; Enter sends the form."""
        for password in passwords:
            page.press("Tab")
            page.type(password)
        page.follow(lambda: page.press("Enter"))


class NewPassword(PageTestCase):
    def setUp(self):
        super().setUp()
        self.account = service.sign_up()
        self.link = service.ask_for_new_password(self.account)

    def page(self, **options):
        page = self.visitor.page(**options)
        page.open(self.link)
        return page

    def test_the_link_leads_to_a_new_password(self):
        for scripts in (True, False):
            with self.subTest(scripts=scripts):
                self.account = service.sign_up()
                self.link = service.ask_for_new_password(self.account)
                page = self.page(scripts=scripts)
                self.assertEqual(page.status, 200)
                self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
                self.assertEqual(page.status, 200)
                self.assertIn("The password is saved", page.text)
                self.assertEqual(page.documents[-1]["method"], "POST")
                for secret in (service.code(self.link), NEW_PASSWORD):
                    self.assertNotIn(secret, page.source + page.url)
                self.assertFalse(service.is_signed_in(self.account))
                self.assertEqual(service.sign_in(self.account, PASSWORD), 401)
                self.assertEqual(service.sign_in(self.account, NEW_PASSWORD), 200)
                self.assertEqual(self.visitor.cookies(), {})
                self.expect_quiet(page)

    def test_a_screen_reader_finds_named_fields_a_button_and_what_is_wrong(self):
        page = self.page()
        (_, first, about), (_, second, again) = page.controls("textbox")
        self.assertEqual((first, second), ("New password", "The same password once more"))
        self.assertEqual(about["description"], "At least 8 characters.")
        self.assertTrue(about["required"] and again["required"])
        self.assertEqual([name for _, name, _ in page.controls("button")], ["Save the password"])
        self.assertEqual([name for _, name, _ in page.controls("heading")], ["Set a new password"])
        self.assertEqual(len(page.controls("main")), 1)
        kinds = page.ask("[...document.querySelectorAll('input:not([type=hidden])')].map(i => [i.type, i.autocomplete])")
        self.assertEqual(kinds, [["text", "username"]] + [["password", "new-password"]] * 2)
        self.assertEqual(page.ask("document.querySelector('[autocomplete=username]').value"), self.account.email)
        self.fill(page, "heron7", "heron7")
        self.assertEqual(len(page.controls("alert")), 1)
        faulty, fine = page.controls("textbox")
        self.assertEqual((faulty[2]["invalid"], fine[2]["invalid"]), ("true", "false"))
        self.assertIn("too short", faulty[2]["description"])

    def test_the_keyboard_goes_through_in_order_and_its_place_is_seen(self):
        page = self.page()
        seen = []
        for _ in range(3):
            page.press("Tab")
            seen.append(page.ask("document.activeElement.id || document.activeElement.localName"))
            self.assertGreaterEqual(page.ask("parseFloat(getComputedStyle(document.activeElement).outlineWidth)"), 2)
        self.assertEqual(seen, ["password", "password_again", "button"])

    def test_what_is_wrong_is_said_with_an_empty_form_and_the_code_stays_good(self):
        page = self.page()
        for first, second, text in (
            ("heron7", "heron7", "too short"), (NEW_PASSWORD, PASSWORD, "not the same"), ("password1234", "password1234", "too common"),
        ):
            with self.subTest(text):
                self.fill(page, first, second)
                self.assertEqual(page.status, 400)
                self.assertIn(text, page.ask("document.querySelector('[role=alert]').innerText"))
                self.assertEqual(page.ask("[...document.querySelectorAll('input[type=password]')].map(i => i.value)"), ["", ""])
                self.assertNotIn(first, page.source)
                self.assertNotIn(service.code(self.link), page.url)
        self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
        self.assertEqual(page.status, 200)
        self.expect_quiet(page)

    def test_the_browser_does_not_send_an_empty_field(self):
        page = self.page()
        page.press("Tab")
        page.press("Enter")
        self.assertEqual(page.ask("document.querySelector('form').checkValidity()"), False)
        self.assertEqual(len(page.documents), 1)

    def test_the_way_back_shows_neither_code_nor_password(self):
        page = self.page()
        self.fill(page, "heron7", "heron7")
        self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
        self.assertIn("The password is saved", page.text)
        # To what was refused, which the browser would have to send anew, and to the form behind the link, whose code is used up.
        for _ in range(2):
            page.back()
            self.assertEqual(page.ask("document.querySelectorAll('form, input').length"), 0, page.url)
            self.assertNotIn(NEW_PASSWORD, page.source)
        self.assertEqual((page.url, page.status), (self.link, 404))
        self.assertEqual(page.restored, 0)

    def test_a_link_that_is_none_is_used_or_has_expired_shows_no_form(self):
        expired = service.ask_for_new_password(service.sign_up())
        service.expire(expired)
        used = self.link
        self.fill(self.page(), NEW_PASSWORD, NEW_PASSWORD)
        older_account = service.sign_up()
        older = service.ask_for_new_password(older_account)
        service.ask_for_new_password(older_account)
        for link in (used, expired, older, used[:-1], used.split("?")[0]):
            page = self.visitor.page()
            page.open(link)
            self.assertEqual(page.status, 404)
            self.assertIn("This link is no longer good", page.text)
            self.assertEqual(page.controls("textbox", "button"), [])
            self.expect_quiet(page)

    def test_a_link_that_ends_while_the_form_is_open_says_so(self):
        page = self.page()
        service.expire(self.link)
        self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
        self.assertEqual(page.status, 404)
        self.assertIn("This link is no longer good", page.text)
        self.assertTrue(service.is_signed_in(self.account))

    def test_a_cookie_session_ends_with_the_old_password(self):
        page = self.visitor.page()
        page.open_blank(service.ISSUER)
        body = {"email": self.account.email, "password": PASSWORD}
        self.assertEqual(page.fetch("/login", "POST", json=body)[0], 200)
        self.assertEqual(page.fetch("/session")[0], 200)
        self.fill(self.page(), NEW_PASSWORD, NEW_PASSWORD)
        self.assertEqual(page.fetch("/session")[0], 401)

    def test_it_speaks_japanese_to_who_reads_it(self):
        page = self.page(language="ja-JP,ja,en")
        self.assertEqual(page.ask("document.documentElement.lang"), "ja")
        self.assertEqual([name for _, name, _ in page.controls("textbox")], ["新しいパスワード", "新しいパスワード（確認用）"])
        self.fill(page, "heron7", "heron7")
        self.assertIn("パスワードが短すぎます", page.text)
        self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
        self.assertIn("パスワードを保存しました", page.text)
        self.assertEqual(service.sign_in(self.account, NEW_PASSWORD), 200)

    def test_a_password_in_japanese_signs_in(self):
        password = "川辺の青鷺は十一羽"
        self.fill(self.page(), password, password)
        self.assertEqual(service.sign_in(self.account, password), 200)

    def test_it_fits_a_small_phone_and_large_text(self):
        for language in ("en", "ja"):
            page = self.page(width=320, height=568, language=language)
            for _ in range(2):
                self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 320)
                self.assertGreaterEqual(page.ask("parseFloat(getComputedStyle(document.querySelector('input[id]')).fontSize)"), 16)
                sizes = page.ask("[...document.querySelectorAll('input[id], button')].map(e => e.getBoundingClientRect().height)")
                self.assertGreaterEqual(min(sizes), 44)
                self.fill(page, "heron7", "heron7")

    def test_all_of_it_can_be_read_by_day_and_by_night(self):
        artist = self.visitor.page()
        for dark in (False, True):
            page = self.page(width=320, height=700, dark=dark)
            self.fill(page, "heron7", "heron7")
            for name, picture in page.pictures("h1, p, label, button, input[id]"):
                seen = artist.ask(f"({CONTRAST})({picture!r})")
                self.assertGreaterEqual(seen["contrast"], 4.5, (dark, name))
                # The button has the team's colour.
                if not name.startswith("<button"):
                    self.assertEqual(seen["ground"] < 0.2, dark, (name, seen))
            page.press("Tab")
            (_, picture), = page.pictures(":focus", edge=True)
            self.assertGreaterEqual(artist.ask(f"({CONTRAST})({picture!r})")["contrast"], 3, (dark, "what has the focus"))

    def test_no_other_page_frames_it(self):
        for origin in (OTHER_SITE, service.ISSUER):
            page = self.visitor.page()
            page.open_blank(origin)
            page.ask(f"""new Promise(done => {{
                const frame = document.createElement("iframe");
                frame.onload = done;
                frame.src = {self.link!r};
                document.body.append(frame);
            }})""")
            self.assertTrue(any("frame-ancestors 'none'" in text for text in page.complaints), page.complaints)


class ConfirmedAddress(PageTestCase):
    def setUp(self):
        super().setUp()
        self.account = service.sign_up()
        self.link = service.link(self.account, "email_verification")

    def test_a_button_confirms_and_looking_does_not(self):
        for scripts, language, title in ((True, "en", "The address is confirmed"), (False, "ja", "メールアドレスを確認しました")):
            self.setUp()
            page = self.visitor.page(scripts=scripts, language=language, width=320)
            page.open(self.link)
            self.assertEqual(page.status, 200)
            self.assertFalse(service.has_confirmed(self.account))
            self.assertEqual(len(page.controls("button")), 1)
            self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 320)
            page.press("Tab")
            page.follow(lambda: page.press("Enter"))
            self.assertEqual((page.status, page.ask("document.title")), (200, title))
            self.assertTrue(service.has_confirmed(self.account))
            self.assertNotIn(service.code(self.link), page.source + page.url)
            self.expect_quiet(page)

    def test_a_link_that_is_none_says_so_when_it_is_used(self):
        page = self.visitor.page()
        page.open(self.link[:-1])
        page.press("Tab")
        page.follow(lambda: page.press(" "))
        self.assertEqual(page.status, 404)
        self.assertFalse(service.has_confirmed(self.account))


class AnotherAddress(PageTestCase):
    def setUp(self):
        super().setUp()
        self.account = service.sign_up()
        service.confirm(self.account)
        self.new = service.new_address()
        self.link = service.ask_for_address(self.account, self.new)

    def test_a_button_changes_it_and_looking_does_not(self):
        for scripts, language, title in ((True, "en", "The address is changed"), (False, "ja", "メールアドレスを変更しました")):
            self.setUp()
            page = self.visitor.page(scripts=scripts, language=language, width=320)
            page.open(self.link)
            self.assertEqual(page.status, 200)
            self.assertIn(self.new, page.text)
            self.assertNotIn(self.account.email, page.source)
            self.assertEqual(service.address(self.account), self.account.email)
            self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 320)
            page.press("Tab")
            page.follow(lambda: page.press("Enter"))
            self.assertEqual((page.status, page.ask("document.title")), (200, title))
            self.assertEqual(service.address(self.account), self.new)
            self.assertNotIn(service.code(self.link), page.source + page.url)
            self.expect_quiet(page)


class Undo(PageTestCase):
    def setUp(self):
        super().setUp()
        self.account = service.sign_up()
        service.confirm(self.account)
        page = self.visitor.page()
        page.open(service.ask_for_address(self.account, service.new_address()))
        page.press("Tab")
        page.follow(lambda: page.press("Enter"))
        self.link = service.link(self.account, "address_changed")

    def test_a_button_undoes_it_and_a_new_password_can_be_set_at_once(self):
        for scripts in (True, False):
            self.setUp()
            page = self.visitor.page(scripts=scripts, width=320)
            for _ in range(2):
                page.open(self.link)
                self.assertEqual((page.status, page.ask("document.title")), (200, "Undo a change"))
            self.assertTrue(service.is_signed_in(self.account))
            self.assertEqual([name for _, name, _ in page.controls("button")], ["Undo it and sign everybody out"])
            self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), 320)
            page.press("Tab")
            page.follow(lambda: page.press("Enter"))
            self.assertEqual((page.status, page.ask("document.title")), (200, "It is undone"))
            self.assertFalse(service.is_signed_in(self.account))
            self.assertNotIn(service.code(self.link), page.source + page.url)
            self.fill(page, NEW_PASSWORD, NEW_PASSWORD)
            self.assertIn("The password is saved", page.text)
            self.assertEqual(service.sign_in(self.account, NEW_PASSWORD), 200)
            self.expect_quiet(page)

    def test_a_second_time_it_says_so(self):
        for used in (False, True):
            page = self.visitor.page()
            page.open(self.link)
            self.assertEqual(page.status, 410 if used else 200)
            if not used:
                page.press("Tab")
                page.follow(lambda: page.press("Enter"))
        self.assertIn("undone already", page.text)
        self.assertEqual(page.ask("document.querySelectorAll('form').length"), 0)


if __name__ == "__main__":
    unittest.main()
