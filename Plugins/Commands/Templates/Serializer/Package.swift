// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PlaceholderSerializer",
  products: [.library(name: "PlaceholderSerializer", targets: ["PlaceholderSerializer"])],
  dependencies: [
    CURLEW_DEPENDENCY
  ],
  targets: [
    .target(
      name: "PlaceholderSerializer",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
      ],
      path: "Sources"),
    .testTarget(
      name: "PlaceholderSerializerTests",
      dependencies: [
        "PlaceholderSerializer",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewConformance", package: "curlew"),
      ],
      path: "Tests"),
  ]
)
