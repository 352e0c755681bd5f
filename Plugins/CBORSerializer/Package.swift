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
  name: "curlew-cbor-serializer",
  products: [.library(name: "CurlewCBOR", targets: ["CurlewCBOR"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "CurlewCBOR",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewCBORTests",
      dependencies: [
        "CurlewCBOR",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
