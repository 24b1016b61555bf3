import Endpoints

extension Settings {
    static let doors = Section(
        title: "Doors",
        settings: [
            Setting(
                "KIDOBAN_DOORS", \.doors.open, .doors,
                "The client protocols that are served; see `docs/doors.md`. A path of one that is not is not found.")
        ] + prefixes)

    private static let prefixes = DoorKind.all.compactMap { kind in
        kind.prefixSetting.map { name in
            Setting(name, \.doors[prefixOf: kind.name], .pathPrefix, "What the paths of the \(kind.title) start with.")
        }
    }
}
