// swift-tools-version: 6.2

import PackageDescription

/// One for each API.
let tours = ["EchoLog", "TokenResource", "CookieSession", "RestAuth"]

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .treatAllWarnings(as: .error),
]

/// A package of its own, because it uses Foundation, as apps do, and the server does not.
let package = Package(
    name: "kidoban-examples",
    targets: [.target(name: "Tour", swiftSettings: strict)]
        + tours.map { .executableTarget(name: $0, dependencies: ["Tour"], swiftSettings: strict) }
)
