// swift-tools-version: 6.2
import PackageDescription

// Every Swift target is built with the same settings. Warnings are errors, and an expression that is not memory safe
// must say `unsafe`; scripts/lint says in which files that word may stand.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// scripts/build compiles the Rust workspace and puts its one static archive where this names it. The tests of the tests
// ask for an archive with seeded faults instead.
let dist = Context.environment["RUSTLE_NATIVE_DIST"] ?? "rust/dist"
#if os(macOS)
let nativeLibrary = Target.binaryTarget(name: "RustleNative", path: "\(dist)/RustleNative.xcframework")
#else
let nativeLibrary = Target.binaryTarget(name: "RustleNative", path: "\(dist)/RustleNative.artifactbundle")
#endif

let log = Target.Dependency.product(name: "Logging", package: "swift-log")

// What only the WebSocket client and the command's endpoint of metrics need: a package that does not enable the trait neither fetches nor builds it.
func network(_ products: String..., package: String = "swift-nio") -> [Target.Dependency] {
  products.map { .product(name: $0, package: package, condition: .when(traits: ["WebSocket"])) }
}

let package = Package(
  name: "rustle",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Rustle", targets: ["Rustle"]),
    .library(name: "RustleAccount", targets: ["RustleAccount"]),
    .library(name: "RustleAudio", targets: ["RustleAudio"]),
    .library(name: "RustleAudioFiles", targets: ["RustleAudioFiles"]),
    .library(name: "RustleLighting", targets: ["RustleLighting"]),
    .library(name: "RustleMarket", targets: ["RustleMarket"]),
    .library(name: "RustleNATS", targets: ["RustleNATS"]),
    .library(name: "RustleTempo", targets: ["RustleTempo"]),
    .library(name: "RustleTesting", targets: ["RustleTesting"]),
    .library(name: "RustleWebSocket", targets: ["RustleWebSocket"]),
    .executable(name: "rustle", targets: ["RustleCommand"]),
  ],
  traits: [
    .trait(
      name: "WebSocket", description: "Feeds from WebSockets: RustleWebSocket; ws:// and --metrics in the command."),
    .trait(name: "NATS", description: "Feeds from and to NATS, by libnats: RustleNATS and nats:// in the command."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ],
  targets: [
    nativeLibrary,

    // The boundary. CRustle is imported by RustleCore and by nothing else.
    .target(
      name: "CRustle",
      dependencies: ["RustleNative"],
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]
    ),
    .target(name: "RustleCore", dependencies: ["CRustle", log], swiftSettings: strict),

    // Files that are read or replaced as a whole, and the system's errors. Not a product.
    .target(name: "RustleFiles", swiftSettings: strict),

    // The domains.
    .target(name: "RustleAudio", dependencies: ["RustleCore"], swiftSettings: strict),
    .target(name: "RustleTempo", dependencies: ["RustleCore"], swiftSettings: strict),
    // Accounts of a studio, by HTTP; not part of Rustle, since it needs Foundation's networking.
    .target(name: "RustleAccount", dependencies: ["RustleCore"], swiftSettings: strict),
    .target(
      name: "RustleLighting", dependencies: ["RustleCore", "RustleFiles", "RustleTempo"], swiftSettings: strict),
    .target(name: "RustleMarket", dependencies: ["RustleCore", "RustleFiles"], swiftSettings: strict),
    .target(
      name: "Rustle", dependencies: ["RustleAudio", "RustleLighting", "RustleMarket", "RustleTempo"],
      swiftSettings: strict),
    // Empty without their traits.
    .target(
      name: "RustleWebSocket",
      dependencies: ["RustleFiles", "RustleMarket", .target(name: "CZlib", condition: .when(traits: ["WebSocket"]))]
        + network("NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + network("NIOSSL", package: "swift-nio-ssl"),
      swiftSettings: strict),
    .target(
      name: "RustleNATS",
      dependencies: [
        "RustleCore", "RustleFiles", "RustleMarket", .target(name: "CNats", condition: .when(traits: ["NATS"])),
      ],
      swiftSettings: strict),
    .target(name: "RustleTesting", dependencies: ["RustleCore", "RustleMarket"], swiftSettings: strict),

    // What needs a system library.
    .systemLibrary(
      name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"]), .brew(["libsndfile"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"]), .brew(["cairo"])]),
    .target(
      name: "RustleAudioFiles", dependencies: ["CSndfile", "RustleAudio", "RustleCore", "RustleFiles"],
      swiftSettings: strict),
    .target(name: "RustlePlot", dependencies: ["CCairo", "RustleFiles"], swiftSettings: strict),

    // The command line: a library with one file per subcommand, and an executable with nothing but main.
    // CTerminal has the terminal calls, behind functions of plain integers.
    .target(name: "CTerminal"),
    .target(
      name: "RustleCLI",
      dependencies: [
        "CLoaded", "CTerminal", "Rustle", "RustleAccount", "RustleAudio", "RustleLighting", "RustleMarket",
        "RustleTempo", "RustleCore", "RustleAudioFiles", "RustleFiles", "RustlePlot",
        log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .target(name: "RustleWebSocket", condition: .when(traits: ["WebSocket"])),
        .target(name: "RustleNATS", condition: .when(traits: ["NATS"])),
      ] + network("NIOCore", "NIOHTTP1", "NIOPosix"),
      swiftSettings: strict
    ),
    // cairo and libcurl, loaded when they are first called: what the command starts without. Empty outside Linux.
    .target(name: "CLoaded", dependencies: ["CCairo"]),
    // The presets of exchanges are installed beside it.
    .executableTarget(
      name: "RustleCommand", dependencies: ["RustleCLI"], exclude: ["exchanges"], swiftSettings: strict),

    // Measures the boundary: scripts/bench. Not a product.
    .executableTarget(
      name: "RustleBench", dependencies: ["RustleAudio", "RustleCore", "RustleMarket"], swiftSettings: strict),
    // What scripts/instructions.py counts. Not a product.
    .executableTarget(name: "RustleCrossings", dependencies: ["RustleCore", "RustleMarket"], swiftSettings: strict),

    // Tests: one target per module, and the boundary's own. IsolationTests is a link to ConformanceTests: the same suite as
    // a module sees it whose code is on the main actor unless it says otherwise.
    .target(
      name: "TestSupport", dependencies: ["RustleAudio", "RustleCore", log], path: "Tests/TestSupport",
      swiftSettings: strict
    ),
    .testTarget(name: "RustleCoreTests", dependencies: ["RustleCore", "TestSupport", log], swiftSettings: strict),
    .testTarget(
      name: "RustleAudioTests", dependencies: ["RustleAudio", "RustleCore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RustleLightingTests", dependencies: ["RustleCore", "RustleLighting", "RustleTempo", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "RustleAccountTests", dependencies: ["RustleAccount", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RustleTempoTests", dependencies: ["RustleCore", "RustleTempo", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RustleMarketTests", dependencies: ["RustleFiles", "RustleMarket", "RustleTesting", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Rustle", "RustleCore", "RustleTesting", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "IsolationTests", dependencies: ["Rustle", "RustleCore", "RustleTesting", "TestSupport"],
      swiftSettings: strict + [.defaultIsolation(MainActor.self), .define("MAIN_ACTOR_BY_DEFAULT")]),
    .testTarget(
      name: "RustleAudioFilesTests", dependencies: ["RustleAudio", "RustleAudioFiles", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(name: "RustlePlotTests", dependencies: ["RustlePlot", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RustleCLITests",
      dependencies: [
        "RustleCLI", "RustleCommand", "RustleFiles", "RustleTesting", "TestSupport",
        .target(name: "RustleWebSocket", condition: .when(traits: ["WebSocket"])),
      ],
      exclude: ["Snapshots"],
      swiftSettings: strict),
    .testTarget(
      name: "RustleNATSTests", dependencies: ["RustleMarket", "RustleNATS", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RustleWebSocketTests",
      dependencies: ["RustleMarket", "RustleTesting", "RustleWebSocket", "TestSupport"]
        + network("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOWebSocket")
        + network("NIOSSL", package: "swift-nio-ssl"),
      swiftSettings: strict),
  ]
)

// ThreadSanitizer's build is spared what it does not test: files, plots and the command.
if Context.environment["RUSTLE_WITHOUT_COMMAND"] != nil {
  let command = [
    "CSndfile", "CCairo", "CLoaded", "CTerminal", "RustleAudioFiles", "RustlePlot", "RustleCLI", "RustleCommand",
    "RustleBench", "RustleCrossings",
  ]
  let left = command + command.map { $0 + "Tests" }
  package.targets.removeAll { left.contains($0.name) }
  package.products.removeAll { ["RustleAudioFiles", "rustle"].contains($0.name) }
}
