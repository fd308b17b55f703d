// swift-tools-version: 6.2
import PackageDescription

// The studio: a page for all engines, and its server. A package of its own, so that nobody who uses the libraries fetches or builds a
// server.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func rustle(_ name: String) -> Target.Dependency { .product(name: name, package: "rustle") }
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let package = Package(
  name: "rustle-studio",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "rustle-studio", targets: ["StudioCommand"])],
  traits: [
    .trait(name: "OIDC", description: "Sign-in by OpenID Connect providers; builds swift-crypto."),
    .trait(name: "TLS", description: "Mails by servers with TLS; builds swift-nio-ssl."),
  ],
  dependencies: [
    .package(name: "rustle", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
  ],
  targets: [
    // The files of Web, in the program.
    .target(name: "CWeb", linkerSettings: [.linkedLibrary("z")]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    // Accounts, sessions and settings in one SQLite file; nothing of the web.
    .target(
      name: "RustleAccounts", dependencies: ["CSodium", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: strict),
    // Messages, topics, subscriptions and rules, as values.
    .target(name: "StudioCore", dependencies: [nio("NIOCore")], swiftSettings: strict),
    .target(
      name: "RustleStudio",
      dependencies: [
        "CWeb", "RustleAccounts", "StudioCore", rustle("Rustle"), rustle("RustleAudioFiles"), rustle("RustleLighting"),
        rustle("RustleMarket"),
        nio("NIOCore"),
        nio("NIOPosix"),
        nio("NIOHTTP1"),
        nio("NIOWebSocket"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
        .product(name: "JWTKit", package: "jwt-kit", condition: .when(traits: ["OIDC"])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "StudioCommand",
      dependencies: [
        "RustleAccounts", "RustleStudio", "StudioCore", rustle("RustleLighting"), rustle("RustleMarket"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .testTarget(name: "StudioCoreTests", dependencies: ["StudioCore"], swiftSettings: strict),
    .testTarget(
      name: "RustleAccountsTests",
      dependencies: ["RustleAccounts", .product(name: "GRDB", package: "GRDB.swift")], swiftSettings: strict),
    .testTarget(
      name: "RustleStudioTests",
      dependencies: [
        "RustleStudio", "StudioCore", rustle("RustleAudio"), nio("NIOCore"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
  ],
  cLanguageStandard: .c2x
)
