// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .treatAllWarnings(as: .error),
]

let app: Target.Dependency = .product(name: "KidobanAuth", package: "Swift")
let verifier: Target.Dependency = .product(name: "KidobanVerifier", package: "Swift")

/// A program that does what an app does.
func tour(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(name: name, dependencies: ["Tour"] + dependencies, swiftSettings: strict)
}

/// A package of its own, because it uses Foundation, as apps do, and the server does not.
let package = Package(
    name: "kidoban-examples",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(path: "../Clients/Swift")],
    targets: [
        .target(name: "Tour", swiftSettings: strict),
        .target(name: "FirebaseStyleAuth", dependencies: [app], swiftSettings: strict),
        tour("EchoLog", [app, verifier]), tour("FirebaseStyle", [app, "FirebaseStyleAuth"]),
        tour("TokenResource"), tour("CookieSession"), tour("RestAuth"),
    ]
)
