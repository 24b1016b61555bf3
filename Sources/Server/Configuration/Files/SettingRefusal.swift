/// Why a text is no value of a setting, to follow its name. It never quotes the text, which may be a secret in the wrong place.
struct SettingRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
