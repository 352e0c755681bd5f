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
  name: "curlew-benchmarks",
  products: [
    .executable(name: "curlew-bench", targets: ["CurlewBench"]),
    .executable(name: "curlew-soak", targets: ["CurlewSoak"]),
  ],
  dependencies: [
    .package(name: "curlew", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // A peer alone.
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The peer "raw libcurl": an event loop in C with nothing around it.
    .target(
      name: "CRawLoop", path: "Sources/CRawLoop",
      linkerSettings: [.linkedLibrary("curl")]),
    // The peer "raw libcurl" for WebSockets, and a server for both.
    .target(
      name: "CRawWebSocket", path: "Sources/CRawWebSocket",
      linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    // The peer "libyaml": its events, with nothing made of them.
    .target(
      name: "CRawYAML", path: "Sources/CRawYAML",
      linkerSettings: [.linkedLibrary("yaml")]),
    // The peer "libxml2": one call, so that what stands around it here can be counted.
    .target(
      name: "CRawXML", path: "Sources/CRawXML", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])],
      linkerSettings: [.linkedLibrary("xml2")]),
    // Writes the statements of a batch store down, for the sqlite3 shell.
    .target(
      name: "CSQLiteTrace", path: "Sources/CSQLiteTrace",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "CurlewBench",
      dependencies: [
        "CRawLoop", "CRawWebSocket", "CRawYAML", "CRawXML", "CSQLiteTrace",
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewHAR", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewContentCoding", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewDownload", package: "curlew"),
        .product(name: "CurlewStorage", package: "curlew"),
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "CurlewSecurity", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewSessionManagers", package: "curlew"),
        .product(name: "CurlewURLSessionTransport", package: "curlew"),
        .product(name: "CurlewWebSocket", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
        .product(name: "CurlewYAML", package: "curlew"),
        .product(name: "CurlewImageBytes", package: "curlew"),
        .product(name: "Yams", package: "Yams"),
        .product(name: "CurlewXML", package: "curlew"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Sources/CurlewBench", swiftSettings: settings),
    .executableTarget(
      name: "CurlewSoak",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewContentCoding", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewOperations", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "CurlewXML", package: "curlew"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Sources/CurlewSoak", swiftSettings: settings),
  ]
)
