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
  name: "curlew-protobuf-serializer",
  products: [.library(name: "CurlewProtobuf", targets: ["CurlewProtobuf"])],
  dependencies: [
    // Through a link: a package is known by its folder's name, and a clone may be called like this one.
    .package(name: "curlew", path: "../sdk"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(
      name: "CurlewProtobuf",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "CurlewProtobufTests",
      dependencies: [
        "CurlewProtobuf",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests", exclude: ["Messages/bird.proto"], swiftSettings: settings),
  ]
)
