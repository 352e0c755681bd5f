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
  name: "curlew-csv-serializer",
  products: [.library(name: "CurlewCSV", targets: ["CurlewCSV"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "CurlewCSV",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewCSVTests",
      dependencies: [
        "CurlewCSV",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
