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
  name: "curlew-mirror",
  products: [.executable(name: "mirror", targets: ["Mirror"])],
  traits: [
    .trait(name: "PostgreSQL", description: "mirror --store postgres://…; needs libpq-dev")
  ],
  dependencies: [
    .package(
      name: "curlew", path: "../..",
      traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["PostgreSQL"]))]),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "Mirror",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewLoading", package: "curlew"),
        .product(name: "CurlewDownload", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(
          name: "CurlewPostgresBatchStore", package: "curlew", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "MirrorTests",
      dependencies: [
        "Mirror",
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewDigests", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
