import Endpoints
import Routing

extension Settings {
    static let apis = Section(
        title: "APIs",
        settings: [
            Setting(
                "KIDOBAN_APIS", \.apis.open, .apis,
                "The client protocols that are served; see `docs/apis.md`.")
        ] + app + prefixes)

    private static let prefixes = API.all.compactMap { kind in
        kind.prefixSetting.map { name in
            Setting(name, \.apis[prefixOf: kind.name], .pathPrefix, "Before the paths of the \(kind.title).")
        }
    }
}

extension Configuration {
    /// How the client protocols are mounted.
    package struct APIs: Sendable {
        package var open = APISelection.all
        /// Whether each refresh in the app API gives a new refresh token, whatever the app asks for.
        package var rotatesRefreshTokens = false
        private var prefixes: [String: String] = [:]

        package init() {}

        /// What the paths of an API start with: empty, or segments such as `/api/v1`.
        package subscript(prefixOf api: String) -> String {
            get { prefixes[api] ?? "" }
            set { prefixes[api] = newValue }
        }
    }
}

/// Which APIs are open.
package enum APISelection: Equatable, Sendable {
    /// Those that a later version has, too.
    case all
    case only(Set<String>)

    /// Every name, in the order in which APIs are listed.
    package static let names = API.all.map(\.name) + [OpenAPIRoutes.name]

    package func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }
}

extension SettingFormat where Value == APISelection {
    /// Names with commas between them.
    static var apis: SettingFormat {
        SettingFormat(
            "`all`, or some of \(APISelection.names.joined(separator: ", ")) with commas between them",
            parse: { text throws(SettingRefusal) in
                guard text != "all" else { return .all }
                var names: Set<String> = []
                for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                    guard APISelection.names.contains(name) else { throw unknown(name) }
                    guard names.insert(name).inserted else { throw SettingRefusal("names the API \(name) twice") }
                }
                return .only(names)
            },
            render: { value, _ in
                value == .all ? "all" : APISelection.names.filter { value.contains($0) }.joined(separator: ",")
            })
    }

    private static func unknown(_ name: String) -> SettingRefusal {
        let nearest = NearestName.of(name, among: APISelection.names).map { "; the nearest is \($0)" } ?? ""
        return SettingRefusal("names an API that does not exist" + nearest)
    }
}

extension SettingFormat where Value == String {
    /// What the paths of an API start with.
    static var pathPrefix: SettingFormat {
        SettingFormat(
            "nothing, or a path of at most 128 bytes such as /api/v1: letters, digits and -._~, no slash at its end",
            acceptsEmpty: true,
            parse: { text throws(SettingRefusal) in
                guard !text.isEmpty else { return "" }
                guard text.utf8.count <= 128 else { throw SettingRefusal("is longer than 128 bytes") }
                guard text.hasPrefix("/") else { throw SettingRefusal("does not begin with a slash") }
                let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
                guard segments.allSatisfy(\.isPathSegment) else { throw SettingRefusal("has a segment that is not allowed") }
                return text
            },
            render: { value, _ in value })
    }
}
