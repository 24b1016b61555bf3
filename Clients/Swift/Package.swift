// swift-tools-version: 6.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A package of its own: apps and backends take it without the server, and it uses Foundation, which the server does not.
let package = Package(
    name: "kidoban-clients",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [
        .library(name: "KidobanAuth", targets: ["KidobanAuth"]),
        .library(name: "KidobanVerifier", targets: ["KidobanVerifier"]),
        .library(name: "KidobanVerifierOpenSSL", targets: ["KidobanVerifierOpenSSL"]),
    ],
    targets: [
        .systemLibrary(name: "CKidobanOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "KidobanTransport", swiftSettings: strict),
        .target(name: "KidobanAuth", dependencies: ["KidobanTransport"], swiftSettings: strict),
        .target(name: "KidobanVerifier", dependencies: ["KidobanTransport"], swiftSettings: strict),
        .target(
            name: "KidobanVerifierOpenSSL",
            dependencies: [
                "KidobanVerifier", .target(name: "CKidobanOpenSSL", condition: .when(platforms: [.linux])),
            ], swiftSettings: strict),
        .target(
            name: "ClientTestSupport", dependencies: ["KidobanTransport"], path: "Tests/ClientTestSupport", swiftSettings: strict),
        .testTarget(
            name: "KidobanAuthTests", dependencies: ["KidobanAuth", "ClientTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "KidobanVerifierTests",
            dependencies: ["KidobanAuth", "KidobanVerifier", "KidobanVerifierOpenSSL", "ClientTestSupport"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
