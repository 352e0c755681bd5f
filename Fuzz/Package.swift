// swift-tools-version: 6.2
import PackageDescription

/// One row per format: sources in `Sources/Fuzz<name>`, seeds in `Seeds/<name>`.
struct Format {
  var name: String
  /// The modules that parse the format, without the prefix `Curlew`.
  var modules: [String]
  /// The targets of this package that it shares with other formats.
  var kits: [String] = []
  /// Products of other packages.
  var products: [Target.Dependency] = []
  /// Files of a linked folder that do not belong to the format.
  var excluded: [String] = []
}

let formats = [
  Format(name: "Brotli", modules: ["ContentCoding", "Core"], kits: ["FuzzCodingKit"]),
  Format(name: "CBOR", modules: ["CBOR"]),
  Format(name: "CSV", modules: ["CSV"]),
  Format(name: "Certificates", modules: ["Core", "Security"]),
  Format(name: "Challenges", modules: ["Core", "Security"]),
  Format(name: "Codings", modules: ["ContentCoding", "Core"], kits: ["FuzzCodingKit"]),
  Format(
    name: "Converters", modules: ["Core", "ImageBytes", "JSON", "Serialization", "XML", "YAML"],
    products: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
    excluded: ["Formats/DocumentFailure.swift"]),
  Format(name: "Cookies", modules: ["Core", "Loading"]),
  Format(name: "Dates", modules: ["Core"]),
  Format(name: "Deflate", modules: ["ContentCoding", "Core"], kits: ["FuzzCodingKit"]),
  Format(name: "EventStreams", modules: ["Session"]),
  Format(name: "Gzip", modules: ["ContentCoding", "Core"], kits: ["FuzzCodingKit"]),
  Format(name: "Images", modules: ["ImageBytes"]),
  Format(name: "JSON", modules: ["JSON"]),
  Format(name: "Journal", modules: ["Core", "Storage", "TestSupport"]),
  Format(name: "MediaTypes", modules: ["Core", "Serialization"]),
  Format(name: "Multipart", modules: ["Core", "Serialization"]),
  Format(name: "Netlink", modules: ["Core", "Reachability"]),
  Format(name: "OCSP", modules: ["Core", "Security"]),
  Format(name: "PEM", modules: ["Core", "Security"]),
  Format(name: "PKCS12", modules: ["Core", "Security"]),
  Format(name: "PropertyLists", modules: ["Serialization"]),
  Format(name: "ResumePlan", modules: ["Core", "Download"]),
  Format(name: "StructuredFields", modules: ["Core"]),
  Format(
    name: "WebSocket", modules: ["ContentCoding", "Core", "Digests"], excluded: ["Handshake/UpgradeTransport.swift"]),
  Format(name: "XML", modules: ["XML"]),
  Format(name: "YAML", modules: ["YAML"]),
  Format(name: "Zstandard", modules: ["ContentCoding", "Core"], kits: ["FuzzCodingKit"]),
]

/// The Swift settings of every target. `Scripts/fuzz` adds `-sanitize=fuzzer`, also for the modules under test.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "curlew-fuzz",
  products: formats.map { .executable(name: "fuzz-" + $0.name, targets: ["Fuzz" + $0.name]) },
  dependencies: [
    .package(name: "curlew", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .target(name: "CFuzzer"),
    .target(name: "FuzzKit", dependencies: ["CFuzzer"], swiftSettings: settings),
    .target(
      name: "FuzzCodingKit",
      dependencies: [
        "FuzzKit", .product(name: "CurlewContentCoding", package: "curlew"),
        .product(name: "CurlewCore", package: "curlew"),
      ],
      swiftSettings: settings),
  ]
    + formats.map { format in
      .executableTarget(
        name: "Fuzz" + format.name,
        dependencies: ["FuzzKit", .product(name: "HTTPTypes", package: "swift-http-types")]
          + format.kits.map { .target(name: $0) }
          + format.modules.map { .product(name: "Curlew" + $0, package: "curlew") } + format.products,
        exclude: format.excluded, swiftSettings: settings)
    }
)
