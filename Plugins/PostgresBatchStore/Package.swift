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
  name: "curlew-postgres-batch-store",
  products: [.library(name: "CurlewPostgresBatchStore", targets: ["CurlewPostgresBatchStore"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk")
  ],
  targets: [
    .systemLibrary(name: "CLibpq", path: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "CurlewPostgresBatchStore",
      dependencies: [
        "CLibpq",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewStorage", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
      ],
      path: "Sources", swiftSettings: settings),
    // A worker process for the tests, which kill it.
    .executableTarget(
      name: "postgres-batch-worker",
      dependencies: [
        "CurlewPostgresBatchStore",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
      ],
      path: "Worker", swiftSettings: settings),
    .testTarget(
      name: "CurlewPostgresBatchStoreTests",
      dependencies: [
        "CurlewPostgresBatchStore",
        "postgres-batch-worker",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewRequests", package: "curlew"),
        .product(name: "CurlewBatch", package: "curlew"),
        .product(name: "CurlewBatchTesting", package: "curlew"),
        .product(name: "CurlewSQLiteBatchStore", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
