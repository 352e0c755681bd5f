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
  name: "curlew-observability",
  products: [.library(name: "CurlewObservability", targets: ["CurlewObservability"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .target(
      name: "CurlewObservability",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewObservabilityTests",
      dependencies: [
        "CurlewObservability",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
