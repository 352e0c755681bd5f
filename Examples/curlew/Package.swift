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
  name: "curlew-tool",
  products: [.executable(name: "curlew", targets: ["CurlewTool"])],
  traits: [
    .trait(name: "PostgreSQL", description: "curlew batch --store postgres://…; needs libpq-dev")
  ],
  dependencies: [
    // Through a link: SwiftPM knows a package by its folder's name, and a clone is often called like this folder.
    .package(
      name: "curlew", path: "sdk",
      traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["PostgreSQL"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "CurlewTool",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewContentCoding", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewURLSessionTransport", package: "curlew"),
        .product(name: "CurlewReachability", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(
          name: "CurlewPostgresBatchStore", package: "curlew", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "CurlewDigests", package: "curlew"),
        .product(name: "CurlewDownload", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "CurlewSecurity", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewSessionManagers", package: "curlew"),
        .product(name: "CurlewStorage", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
        .product(name: "CurlewHAR", package: "curlew"),
        .product(name: "CurlewWebSocket", package: "curlew"),
        .product(name: "CurlewXML", package: "curlew"),
        .product(name: "CurlewYAML", package: "curlew"),
        .product(name: "CurlewImageBytes", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewToolTests",
      dependencies: [
        "CurlewTool",
        .product(name: "CurlewDigests", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewHAR", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "CurlewReachability", package: "curlew"),
        .product(name: "CurlewSecurity", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests", exclude: ["Faults/DownloadFaults.md"], swiftSettings: settings),
  ]
)
