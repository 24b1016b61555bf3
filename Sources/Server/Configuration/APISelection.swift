import Endpoints
import Routing

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
