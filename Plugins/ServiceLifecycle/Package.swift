// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "curlew-service-lifecycle",
  products: [.library(name: "CurlewServiceLifecycle", targets: ["CurlewServiceLifecycle"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
  ],
  targets: [
    .target(
      name: "CurlewServiceLifecycle",
      dependencies: [
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewServiceLifecycleTests",
      dependencies: [
        "CurlewServiceLifecycle",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
