import Crypto
import Glibc
import Text

/// How the pages look and what they call the service, as the team has it.
package struct PageLook: Sendable {
    /// What the service is called; empty to call it nothing.
    package let name: String
    /// A picture of it, shown in place of the name.
    package let logo: String?
    /// Texts of the team's own, by language and by the names of `PageTexts`.
    package let texts: [String: [String: String]]
    let style: String
    /// SHA-256 of the style in base64.
    let styleHash: String

    /// Without name and picture.
    package static let plain = PageLook()

    package init(
        name: String = "", logo: String? = nil, accent: PageColour = .blue, darkAccent: PageColour? = nil,
        texts: [String: [String: String]] = [:]
    ) {
        self.name = name
        self.logo = logo
        self.texts = texts
        style = PageStyle.text(accent, dark: darkAccent ?? accent.lighter)
        styleHash = Base64.encode(SHA256.hash(style).bytes)
    }

    /// A text with what the team calls the service.
    func ofService(_ text: String) -> String {
        text.contains("{service}") ? text.replacing("{service}", with: name) : text
    }
}

/// A colour as CSS writes it: `#rrggbb`.
package struct PageColour: Equatable, Sendable {
    package static let blue = PageColour(red: 0x1F, green: 0x5F, blue: 0xBF)
    private static let ink = PageColour(red: 0x0D, green: 0x11, blue: 0x17)
    private static let white = PageColour(red: 0xFF, green: 0xFF, blue: 0xFF)

    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    private init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Nil for anything but `#rrggbb`.
    package init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"), let bytes = Hex.decode(String(text.dropFirst()).lowercased()) else {
            return nil
        }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
    }

    package var text: String { "#" + Hex.encode([red, green, blue]) }

    /// What can be read on it: of white and nearly black the one that stands out more (WCAG 2.2, 1.4.3).
    var onIt: PageColour {
        contrast(with: .white) >= contrast(with: .ink) ? .white : .ink
    }

    /// The same for pages by night: mixed with white until it stands out from them.
    var lighter: PageColour {
        var colour = self
        for _ in 0..<8 where colour.contrast(with: .ink) < 6 { colour = colour.mixedWithWhite }
        return colour
    }

    /// WCAG 2.2, "contrast ratio".
    func contrast(with other: PageColour) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    private var mixedWithWhite: PageColour {
        func mixed(_ part: UInt8) -> UInt8 { part + (255 - part) / 4 }
        return PageColour(red: mixed(red), green: mixed(green), blue: mixed(blue))
    }

    /// WCAG 2.2, "relative luminance".
    private var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
