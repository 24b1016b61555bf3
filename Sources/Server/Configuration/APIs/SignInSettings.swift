import Crypto
package import Endpoints
import Identity
import Text

extension Settings {
    static let signIn = Section(
        title: "Sign-in pages",
        settings: [
            Setting(
                "KIDOBAN_PAGES_NAME", \.signIn.name, .pageName, fallback: .nothing("none"),
                "What the pages call the service."),
            Setting(
                "KIDOBAN_PAGES_LOGO", optional: \.signIn.logo, .pictureURL, fallback: .nothing("none; the name is shown"),
                "A picture in place of the name, which browsers load from there."),
            Setting(
                "KIDOBAN_PAGES_COLOUR", \.signIn.colour, .colour,
                "The colour of the main button; its text is black or white."),
            Setting(
                "KIDOBAN_PAGES_DARK_COLOUR", optional: \.signIn.darkColour, .colour,
                fallback: .nothing("the other one, lightened"),
                "The same on dark pages."),
            Setting(
                "KIDOBAN_PAGES_TEXTS", \.signIn.texts, .pageTexts, fallback: .nothing("the built-in texts"),
                "Texts of your own for the sign-in pages and those behind links in mails; see `docs/sign-in.md`."
            ),
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
        package var texts = PageTextDirectory()
        package var offersSignUp = true

        package init() {}

        var look: PageLook {
            PageLook(name: name, logo: logo, accent: colour, darkAccent: darkColour, texts: texts.texts)
        }
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
        options.takesUsernames = restAuth.loginName != .email
        options.offersSignUp = signIn.offersSignUp
        options.mailsVerification = app.mailsVerification
        return options
    }
}

/// A directory with texts of a team's own for the sign-in pages, and what is in it.
package struct PageTextDirectory: Sendable {
    /// Nil for none.
    package var path: String?
    /// By language, and by the names of the texts.
    package var texts: [String: [String: String]] = [:]

    package init() {}
}

extension EnvironmentReader {
    private static let pageTexts = "KIDOBAN_PAGES_TEXTS"
    /// Of one file, in bytes.
    private static let longestPageTexts = 64 << 10

    /// Reads the texts of the sign-in pages: a file for each language, with a JSON object of texts by their names.
    mutating func readPageTexts() {
        guard let path = configuration.signIn.texts.path else { return }
        guard isDirectory(path) else { return refuse(Self.pageTexts, .refused("does not name a directory that can be read")) }
        let known = PageTexts.languages.map { $0 + ".json" }
        for name in files.names(path).sorted() where name.lowercased().hasSuffix(".json") && !known.contains(name) {
            guard !name.hasPrefix(".") else { continue }
            refuse(
                Self.pageTexts,
                .refused("has \(name.excerpt), which is of no language of the pages; there are \(known.joined(separator: ", "))"))
        }
        var (all, identity): ([String: [String: String]], String) = ([:], path)
        for language in PageTexts.languages {
            guard let (bytes, texts) = pageTexts(of: "\(language).json", in: path) else { continue }
            all[language] = texts
            identity += "\0" + SHA256.hash(bytes).hex
        }
        complete(Self.pageTexts, identity: identity) { $0.signIn.texts.texts = all }
    }

    /// Nil for a file that is not there or cannot be taken, after a problem for each thing that is wrong with it.
    private mutating func pageTexts(of name: String, in path: String) -> (bytes: [UInt8], texts: [String: String])? {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try files.read("\(path)/\(name)").bytes
        } catch {
            if error != .missing { refuse(Self.pageTexts, .refused("has \(name), and \(error.reason)")) }
            return nil
        }
        guard bytes.count <= Self.longestPageTexts else {
            refuse(Self.pageTexts, .refused("has \(name), which is larger than \(SizeText.render(Self.longestPageTexts))"))
            return nil
        }
        let members: [JSONObject.Member]
        do throws(JSONParseError) {
            guard let object = try JSON.parse(bytes).objectValue else {
                refuse(Self.pageTexts, .refused("has \(name), which is no JSON object"))
                return nil
            }
            members = object.members
        } catch {
            refuse(Self.pageTexts, .refused("has \(name), which is not JSON (\(error.kind) at byte \(error.offset))"))
            return nil
        }
        var texts: [String: String] = [:]
        for member in members {
            guard let fault = Self.fault(of: member) else {
                texts[member.key] = member.value.stringValue
                continue
            }
            refuse(Self.pageTexts, .refused("has \(name), in which \(member.key.excerpt) \(fault)"))
        }
        return (bytes, texts)
    }

    private static func fault(of member: JSONObject.Member) -> String? {
        guard PageTexts.isName(member.key) else {
            let nearest = NearestName.of(member.key, among: PageTexts.names) ?? ""
            return "is no text of the pages; the nearest is \(nearest)"
        }
        guard let text = member.value.stringValue else { return "is no text" }
        return PageTexts.fault(of: text, for: member.key)
    }
}

extension SettingFormat where Value == PageTextDirectory {
    /// The files in it are read later (`readPageTexts`).
    fileprivate static var pageTexts: SettingFormat {
        SettingFormat(
            "the path of a directory", acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                var directory = PageTextDirectory()
                if !text.isEmpty { directory.path = text }
                return directory
            },
            render: { value, _ in value.path?.printable ?? "" })
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
