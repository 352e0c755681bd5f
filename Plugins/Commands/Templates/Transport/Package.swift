// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PlaceholderTransport",
  products: [.library(name: "PlaceholderTransport", targets: ["PlaceholderTransport"])],
  dependencies: [
    CURLEW_DEPENDENCY
  ],
  targets: [
    .target(
      name: "PlaceholderTransport",
      dependencies: [
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
      ],
      path: "Sources"),
    .testTarget(
      name: "PlaceholderTransportTests",
      dependencies: [
        "PlaceholderTransport",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewConformance", package: "curlew"),
      ],
      path: "Tests"),
  ]
)
