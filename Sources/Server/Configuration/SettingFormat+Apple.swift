import Identity
import Text

extension SettingFormat where Value == String {
    /// How Apple names teams and keys.
    static var appleIdentifier: SettingFormat {
        SettingFormat(
            "10 capital letters and digits",
            parse: { text throws(SettingRefusal) in
                let isCapital = { (byte: UInt8) in UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") }
                guard text.utf8.count == 10, text.utf8.allSatisfy({ $0.isDigit || isCapital($0) }) else {
                    throw SettingRefusal("is not 10 capital letters and digits")
                }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == String {
    /// One of our names at a provider.
    static var clientID: SettingFormat {
        SettingFormat(
            "a client id: 1 to 255 visible ASCII characters without quotes and backslashes",
            parse: { text throws(SettingRefusal) in
                guard text.isAudience else { throw SettingRefusal("is too long or has a character that is not allowed") }
                return text
            },
            render: { value, _ in value })
    }

    /// What a provider compares byte by byte; Google has one that is no URI.
    static var redirectURI: SettingFormat {
        SettingFormat(
            "a URI of at most 2048 printable ASCII characters, or postmessage",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingRefusal("is too long or has a character that is not allowed")
                }
                return text
            },
            render: { value, _ in value })
    }
}

extension SettingFormat where Value == SecretString {
    /// Of a client at a provider.
    static var clientSecret: SettingFormat {
        SettingFormat(
            "a client secret of 8 to 512 printable ASCII characters", isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard (8...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw SettingRefusal("is too short, too long or has a character that is not allowed")
                }
                return SecretString(text)
            },
            render: { _, _ in SecretBytes.redaction })
    }
}

extension SettingFormat where Value == AppleCredentials.PrivateKey {
    static var applePrivateKey: SettingFormat {
        SettingFormat(
            "an EC private key on P-256 in PEM, as in a `.p8` file of Apple's",
            isSecret: true,
            parse: { text throws(SettingRefusal) in
                guard let key = AppleCredentials.PrivateKey(pem: SecretString(text)) else {
                    throw SettingRefusal("is not an EC private key on P-256 in PEM")
                }
                return key
            },
            render: { _, _ in SecretBytes.redaction })
    }
}
