import Endpoints

/// Which doors are open.
package enum DoorSelection: Equatable, Sendable {
    /// Those that a later version has, too.
    case all
    case only(Set<String>)

    /// Every name, in the order in which doors are listed.
    package static let names = DoorKind.all.map(\.name) + [OpenAPIDoor.name]

    package func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }
}

extension SettingFormat where Value == DoorSelection {
    /// Names with commas between them.
    static var doors: SettingFormat {
        SettingFormat(
            "`all`, or some of \(DoorSelection.names.joined(separator: ", ")) with commas between them",
            parse: { text throws(SettingRefusal) in
                guard text != "all" else { return .all }
                var names: Set<String> = []
                for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                    guard DoorSelection.names.contains(name) else { throw unknown(name) }
                    guard names.insert(name).inserted else { throw SettingRefusal("names the door \(name) twice") }
                }
                return .only(names)
            },
            render: { value, _ in
                value == .all ? "all" : DoorSelection.names.filter { value.contains($0) }.joined(separator: ",")
            })
    }

    private static func unknown(_ name: String) -> SettingRefusal {
        let nearest = NearestName.of(name, among: DoorSelection.names).map { "; the nearest is \($0)" } ?? ""
        return SettingRefusal("names a door that does not exist" + nearest)
    }
}
