// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let curlew: [Target.Dependency] = [
  .product(name: "Curlew", package: "curlew"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
]

/// The examples, each a folder with its README, its sources and its tests. Programs can be run, the others are libraries.
let programs = ["FirstRequest", "ResumableDownloads"]
let libraries = [
  "TypedClient", "CustomSerializer", "DependentBatch", "OfflineCache", "PinRotation", "TestedClient", "BesideAServer",
]

/// What stands for the framework of a server in BesideAServer: two modules, as Hummingbird has them.
let framework: [Target] = [
  .target(name: "SmallServerCore", path: "BesideAServer/SmallServerCore", swiftSettings: settings),
  .target(
    name: "SmallServer", dependencies: ["SmallServerCore"], path: "BesideAServer/SmallServer",
    swiftSettings: settings),
]

/// What an example needs besides itself.
func dependencies(of example: String) -> [Target.Dependency] {
  example == "BesideAServer" ? curlew + ["SmallServer"] : curlew
}

let package = Package(
  name: "curlew-gallery",
  dependencies: [
    .package(name: "curlew", path: "../.."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: programs.map {
    .executableTarget(name: $0, dependencies: curlew, path: "\($0)/Sources", swiftSettings: settings)
  }
    + libraries.map {
      .target(name: $0, dependencies: dependencies(of: $0), path: "\($0)/Sources", swiftSettings: settings)
    } + framework
    + (programs + libraries).map { example in
      .testTarget(
        name: example + "Tests",
        dependencies: [.target(name: example), .product(name: "CurlewTestSupport", package: "curlew")]
          + dependencies(of: example),
        path: "\(example)/Tests", swiftSettings: settings)
    }
)
