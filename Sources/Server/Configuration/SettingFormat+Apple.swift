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
