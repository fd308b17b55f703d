// swift-tools-version: 6.2
import PackageDescription

// A package that depends on Rustle by path, uses its public interface only, and has the strictest settings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "rustle-consumer",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "rustle", path: "../..")],
  targets: [
    .executableTarget(
      name: "consumer", dependencies: [.product(name: "Rustle", package: "rustle")], swiftSettings: strict),
    .testTarget(
      name: "ConsumerTests",
      dependencies: [
        .product(name: "Rustle", package: "rustle"), .product(name: "RustleTesting", package: "rustle"),
      ],
      swiftSettings: strict),
  ]
)
