/// Why a text is no value of a setting, to follow its name. It never quotes the text, which may be a secret in the wrong place.
struct SettingRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// How the text of a setting becomes a value, and how the value is shown.
struct SettingFormat<Value: Sendable>: Sendable {
    /// To follow "expected".
    let expectation: String
    let isSecret: Bool
    let acceptsEmpty: Bool
    let parse: @Sendable (String) throws(SettingRefusal) -> Value
    /// The value, and the text it was read from, as they may be shown: in one spelling, secrets redacted.
    let render: @Sendable (Value, String) -> String

    init(
        _ expectation: String, isSecret: Bool = false, acceptsEmpty: Bool = false,
        parse: @escaping @Sendable (String) throws(SettingRefusal) -> Value,
        render: @escaping @Sendable (Value, String) -> String
    ) {
        self.expectation = expectation
        self.isSecret = isSecret
        self.acceptsEmpty = acceptsEmpty
        self.parse = parse
        self.render = render
    }

    /// The same for a property that may be without a value.
    var optional: SettingFormat<Value?> {
        let (parse, render) = (parse, render)
        return SettingFormat<Value?>(
            expectation, isSecret: isSecret, acceptsEmpty: acceptsEmpty,
            parse: { text throws(SettingRefusal) in try parse(text) },
            render: { value, text in value.map { render($0, text) } ?? "" })
    }
}

extension SettingFormat where Value == Bool {
    static var flag: SettingFormat {
        SettingFormat(
            "true or false",
            parse: { text throws(SettingRefusal) in
                switch text {
                case "true": return true
                case "false": return false
                default: throw SettingRefusal("is neither true nor false")
                }
            },
            render: { value, _ in value.description })
    }
}

extension SettingFormat where Value: RawRepresentable, Value.RawValue == String {
    /// One of the values, by its raw value.
    static func choice(_ values: [Value]) -> SettingFormat {
        let names = values.map(\.rawValue)
        let expectation = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return SettingFormat(
            expectation,
            parse: { text throws(SettingRefusal) in
                guard let value = values.first(where: { $0.rawValue == text }) else {
                    throw SettingRefusal("is none of the possible values")
                }
                return value
            },
            render: { value, _ in value.rawValue })
    }
}
