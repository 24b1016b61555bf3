// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target: Swift 6 mode, warnings are errors, and the upcoming features that make leaks visible.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
    // Loops and actors keep every object on one thread, and debug builds, which the tests run, still check exclusive access.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// The targets that touch C also document every such touch with `unsafe`.
let memorySafe: [SwiftSetting] = strict + [.strictMemorySafety()]

func module(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "kidoban",
    products: [.executable(name: "kidoban", targets: ["kidoban"])],
    targets: [
        .systemLibrary(name: "CConcurrency"),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
        .systemLibrary(name: "CRedis"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CArgon2"),
        .systemLibrary(name: "CCrypt"),
        .systemLibrary(name: "CUnicode"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),

        module("Text", ["CUnicode"], memorySafe),
        module("Networking", ["Text", "CConcurrency", "CEpoll", "COpenSSL"], memorySafe),
        module("Crypto", ["Text", "COpenSSL", "CArgon2", "CCrypt"], memorySafe),
        module("Logging", ["Text"]),

        module("HTTP", ["Networking", "Logging", "Text"], memorySafe),
        module("Postgres", ["Crypto", "Networking", "Logging", "Text", "CPostgres", "COpenSSL"], memorySafe),
        module("Redis", ["Networking", "Logging", "Text", "CRedis"], memorySafe),
        module("JOSE", ["Crypto", "Text"]),
        module("Outbound", ["Networking", "Text", "CCurl"], memorySafe),

        module("Routing", ["HTTP", "Logging", "Text"], memorySafe),
        module("Identity", ["JOSE", "Crypto", "Postgres", "Redis", "Outbound", "Networking", "Logging", "Text"]),
        module("Endpoints", ["Routing", "HTTP", "Identity", "JOSE", "Crypto", "Logging", "Postgres", "Redis", "Text"]),
        module(
            "Server",
            [
                "Endpoints", "Routing", "Identity", "HTTP", "Postgres", "Redis", "JOSE", "Outbound", "Networking", "Crypto",
                "Logging", "Text",
            ]),
        .executableTarget(name: "kidoban", dependencies: ["Server"], swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Networking", "CPostgres", "COpenSSL"], path: "Tests/TestSupport",
            exclude: ["smtp-server.py"], swiftSettings: strict),
        tests("TextTests", ["Text"]),
        tests("NetworkingTests", ["Networking", "CEpoll", "TestSupport"]),
        tests("CryptoTests", ["Crypto", "COpenSSL"]),
        tests("LoggingTests", ["Logging", "Text"]),
        tests("HTTPTests", ["Routing", "HTTP", "Networking", "Logging", "Text", "TestSupport"]),
        tests("RoutingTests", ["Routing", "HTTP", "Text"]),
        tests("PostgresTests", ["Postgres", "Networking", "Logging", "CPostgres", "TestSupport"]),
        tests("RedisTests", ["Redis", "Networking", "Logging", "TestSupport"]),
        tests("JOSETests", ["JOSE", "Crypto", "Text"]),
        tests("OutboundTests", ["Outbound", "Networking", "Text", "CCurl", "TestSupport"]),
        tests(
            "IdentityTests",
            ["Identity", "JOSE", "Crypto", "Postgres", "Redis", "Outbound", "Networking", "Logging", "Text", "TestSupport"]),
        tests(
            "EndpointsTests",
            [
                "Server", "Endpoints", "Routing", "Identity", "HTTP", "Postgres", "Redis", "JOSE", "Outbound", "Networking",
                "Crypto",
                "Logging",
                "Text", "TestSupport",
            ]),
        tests(
            "ServerTests",
            [
                "Server", "Endpoints", "Routing", "Identity", "HTTP", "Postgres", "Redis", "JOSE", "Outbound", "Networking",
                "Crypto",
                "Logging",
                "Text", "TestSupport",
            ]),
    ]
)

// `Tests/Fuzz/run` builds this, and nothing else does: libFuzzer brings a `main` of its own. Of the module Server it builds only what
// reads files of settings, as a module of its own: a sanitized build of all takes minutes.
if Context.environment["KIDOBAN_FUZZ"] != nil {
    let kept = ["Text", "Networking", "Crypto", "Logging", "HTTP", "JOSE", "Outbound", "Routing"]
    package.targets.removeAll { $0.type != .system && !kept.contains($0.name) }
    package.products = []
    package.targets += [
        .target(
            name: "SettingsFiles", dependencies: ["Text"], path: "Sources/Server/Configuration/Files",
            swiftSettings: strict),
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CFuzzer", "SettingsFiles", "Routing", "HTTP", "JOSE", "Outbound", "Networking", "Crypto", "Text"],
            path: "Tests/Fuzz/Targets", swiftSettings: memorySafe + [.unsafeFlags(["-parse-as-library"])]),
    ]
}

// `make tsan` builds the layers that cross threads by their own means, and their tests, and nothing else.
if Context.environment["KIDOBAN_TSAN"] != nil {
    let modules = ["Text", "Crypto", "Networking", "Logging", "Postgres", "Redis"]
    let kept = modules + ["NetworkingTests", "PostgresTests", "RedisTests", "TestSupport"]
    package.targets.removeAll { $0.type != .system && !kept.contains($0.name) }
    package.products = []
}
