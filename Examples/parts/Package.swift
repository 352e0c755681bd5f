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
  name: "curlew-parts",
  products: [.executable(name: "sightings", targets: ["Program"])],
  dependencies: [
    // Without traits: the app takes neither XML nor YAML.
    .package(name: "curlew", path: "../..", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    // The app without its parts: it knows neither its transport nor its formats.
    .target(
      name: "Sightings",
      dependencies: [
        .product(name: "CurlewSession", package: "curlew")
      ],
      path: "Sources/Sightings", swiftSettings: settings),
    // The program, which chooses the parts: libcurl and JSON.
    .executableTarget(
      name: "Program",
      dependencies: [
        "Sightings",
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
      ],
      path: "Sources/Program", swiftSettings: settings),
    .testTarget(
      name: "PartsTests",
      dependencies: [
        "Sightings",
        .product(name: "CurlewCore", package: "curlew"),
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewSerialization", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
        .product(name: "CurlewTestSupport", package: "curlew"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests", swiftSettings: settings),
  ]
)
