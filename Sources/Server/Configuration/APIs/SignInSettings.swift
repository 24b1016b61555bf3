package import Endpoints
import Identity

extension Settings {
    static let signIn = Section(
        title: "Sign-in pages",
        settings: [
            Setting(
                "KIDOBAN_PAGES_NAME", \.signIn.name, .pageName, fallback: .nothing("none"),
                "What the pages call the service, above their titles."),
            Setting(
                "KIDOBAN_PAGES_LOGO", optional: \.signIn.logo, .pictureURL, fallback: .nothing("none; the name is shown"),
                "A picture in the place of the name. Browsers load it from there."),
            Setting(
                "KIDOBAN_PAGES_COLOUR", \.signIn.colour, .colour,
                "The colour of the main button. Its text is black or white, as can be read."),
            Setting(
                "KIDOBAN_PAGES_DARK_COLOUR", optional: \.signIn.darkColour, .colour,
                fallback: .nothing("the other one, lightened"),
                "The same where the browser wants dark pages."),
            Setting(
                "KIDOBAN_PAGES_SIGN_UP", \.signIn.offersSignUp, .flag, "Whether anybody can make an account on the sign-in pages."
            ),
        ])
}

extension Configuration {
    /// How the sign-in pages look, and what they offer.
    package struct SignIn: Sendable {
        package var name = ""
        package var logo: String?
        package var colour = PageColour.blue
        package var darkColour: PageColour?
        package var offersSignUp = true

        package init() {}

        var look: PageLook { PageLook(name: name, logo: logo, accent: colour, darkAccent: darkColour) }
    }

    /// What the sign-in pages were set to, and where the pages behind the links in mails are.
    var placedSignIn: SignInPages.Options {
        var options = SignInPages.Options()
        options.brief = SessionLifetime(idle: cookies.idleLifetime, absolute: cookies.absoluteLifetime)
        options.remembered = SessionLifetime(idle: cookies.rememberedIdleLifetime, absolute: cookies.rememberedLifetime)
        options.mailPages = placedApp.pages
        options.providers = [
            ProviderChoice(.google, "Google", authorizeURL: providerTokens.googleAuthorizeURL, hasPKCE: true, postsAnswer: false),
            ProviderChoice(.apple, "Apple", authorizeURL: providerTokens.appleAuthorizeURL, hasPKCE: false, postsAnswer: true),
        ]
        options.offersSignUp = signIn.offersSignUp
        options.mailsVerification = app.mailsVerification
        return options
    }
}

extension SettingFormat where Value == PageColour {
    static var colour: SettingFormat {
        SettingFormat(
            "a colour as #rrggbb",
            parse: { text throws(SettingRefusal) in
                guard let colour = PageColour(text) else { throw SettingRefusal("is no colour of the form #rrggbb") }
                return colour
            },
            render: { value, _ in value.text })
    }
}

extension SettingFormat where Value == String {
    static var pageName: SettingFormat {
        SettingFormat(
            "a name of at most 100 bytes without control characters", acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 100, !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                    throw SettingRefusal("is too long or has a control character")
                }
                guard text.first != " ", text.last != " " else { throw SettingRefusal("has a blank at its beginning or end") }
                return text
            },
            render: { value, _ in value.printable })
    }

    static var pictureURL: SettingFormat {
        SettingFormat(
            "an https URL of a picture",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 2000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), text.hasPrefix("https://")
                else {
                    throw SettingRefusal("is no https URL")
                }
                return text
            },
            render: { value, _ in value })
    }
}
