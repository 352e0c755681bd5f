// swift-tools-version: 6.2
import PackageDescription

/// One row a module: its folder under `Modules/`, what it imports of ours and of others.
/// The target is called `Curlew<folder>`, its tests live in `Tests/<folder>Tests`.
struct Module {
  var folder: String
  var imports: [String] = []
  var other: [Target.Dependency] = []
  var tests: [String]? = []
  /// What the tests read at run time, below their folder.
  var testData: [String] = []
  var target: String { folder == "Curlew" ? "Curlew" : "Curlew" + folder }
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let modules: [Module] = [
  Module(folder: "Core"),
  Module(folder: "Storage", imports: ["Core"], tests: ["TestSupport"]),
  Module(
    folder: "Loading", imports: ["Core", "Storage"], tests: ["TestSupport", "TestHarness", "CurlTransport", "Security"]),
  Module(
    folder: "CurlTransport", imports: ["Core", "Storage"], other: ["CLibcurl", "COpenSSL"],
    tests: ["TestSupport", "TestHarness", "Loading", "Security"]),
  Module(
    folder: "ContentCoding", imports: ["Core"], other: ["CZlib", "CBrotli", "CZstd"],
    tests: ["TestSupport", "Loading", "CurlTransport"]),
  Module(folder: "URLSessionTransport", imports: ["Core"], tests: ["TestSupport", "Loading"]),
  Module(
    folder: "Reachability", imports: ["Core"], other: ["CLinux"],
    tests: ["TestSupport", "TestHarness", "Loading", "CurlTransport"], testData: ["Logs"]),
  Module(folder: "Digests", other: ["COpenSSL"]),
  Module(
    folder: "Security", imports: ["Core", "Digests", "Storage"], other: ["COpenSSL"],
    tests: ["TestSupport", "TestHarness", "CurlTransport", "Loading"]),
  Module(
    folder: "Download", imports: ["Core", "Loading", "Storage", "Digests"],
    tests: ["TestSupport", "TestHarness", "CurlTransport", "URLSessionTransport", "ContentCoding"]),
  Module(folder: "Serialization", imports: ["Core"], tests: ["TestSupport", "TestHarness"]),
  Module(
    folder: "Requests", imports: ["Core", "Loading", "Serialization"],
    tests: ["TestSupport", "CurlTransport", "JSON", "Security"]),
  Module(
    folder: "Operations",
    imports: ["Core", "Loading", "Storage", "Requests", "Serialization", "JSON", "Download", "Batch"],
    tests: ["TestSupport", "TestHarness", "CurlTransport", "Security"], testData: ["AFNetworking-2.7.0.txt"]),
  Module(
    folder: "Session", imports: ["Core", "Loading", "Download", "Requests", "Serialization"],
    tests: ["TestSupport", "TestHarness", "CurlTransport", "URLSessionTransport", "JSON"]),
  Module(
    folder: "SessionManagers",
    imports: ["Core", "Storage", "Loading", "Requests", "Serialization", "JSON", "Download", "Session", "Security"],
    tests: ["TestSupport", "TestHarness", "CurlTransport", "URLSessionTransport"],
    testData: ["AFNetworking-sessions.txt", "AFNetworking-others.txt"]),
  Module(
    folder: "Batch", imports: ["Core", "Loading", "Storage", "Requests", "Digests", "Download"],
    tests: ["TestSupport", "BatchTesting", "CurlTransport"]),
  Module(folder: "BatchTesting", imports: ["Core", "Requests", "Batch", "TestSupport"]),
  Module(
    folder: "SQLiteBatchStore", imports: ["Core", "Storage", "Requests", "Batch"], other: ["CSQLite"],
    tests: ["TestSupport", "BatchTesting"]),
  Module(folder: "JSON", imports: ["Core", "Serialization"], tests: ["TestSupport"]),
  Module(
    folder: "XML", imports: ["Core", "Serialization"], other: ["CLibxml2"], tests: ["TestSupport", "TestHarness"]),
  Module(folder: "YAML", imports: ["Core", "Serialization"], other: ["CLibyaml"], tests: ["TestSupport"]),
  Module(folder: "ImageBytes", imports: ["Core", "Serialization"], tests: ["TestSupport"]),
  Module(
    folder: "Curlew",
    imports: [
      "Core", "Loading", "Download", "Requests", "Serialization", "Session", "Batch", "ContentCoding", "CurlTransport",
      "Security",
      "JSON", "XML", "YAML", "ImageBytes",
    ],
    tests: ["TestSupport", "URLSessionTransport", "Operations", "SessionManagers", "Reachability"]),
  Module(
    folder: "TestSupport", imports: ["Core", "Loading", "ContentCoding", "Serialization", "Session"],
    other: ["CLinux", "COpenSSL"], tests: ["TestHarness"]),
]

/// The modules whose tests are built. `Scripts/test-module JSON XML` sets the variable, so that nothing else is compiled.
let testedModules = Context.environment["CURLEW_TESTS"]?.split(separator: ",").map(String.init)

/// The settings of every Swift target, in one place.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "curlew",
  products: modules.map { .library(name: $0.target, targets: [$0.target]) } + [
    // The rules for transports, serializers and batch stores, and what their tests need.
    .library(name: "CurlewConformance", targets: ["CurlewTestSupport", "CurlewBatchTesting"]),
    .plugin(name: "NewSerializer", targets: ["NewSerializer"]),
    .plugin(name: "NewTransport", targets: ["NewTransport"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")
  ],
  targets: modules.flatMap { module -> [Target] in
    let imports = module.imports.map { Target.Dependency.target(name: "Curlew" + $0) } + module.other + [httpTypes]
    var targets = [
      Target.target(
        name: module.target, dependencies: imports, path: "Modules/" + module.folder, swiftSettings: settings)
    ]
    if let tests = module.tests, testedModules?.contains(module.folder) ?? true {
      targets.append(
        .testTarget(
          name: module.target + "Tests",
          dependencies: [.target(name: module.target)] + imports
            + tests.map { .target(name: "Curlew" + $0) },
          path: "Tests/" + module.folder + "Tests", exclude: module.testData, swiftSettings: settings))
    }
    return targets
  } + [
    // What only our own tests want: no product, so that no user builds it.
    .target(
      name: "CurlewTestHarness",
      dependencies: ["CurlewCore", "CurlewLoading", "CurlewTestSupport", "COpenSSL", "CLinux", httpTypes],
      path: "Tests/Support", swiftSettings: settings),
    .systemLibrary(
      name: "CLibcurl", path: "Modules/CLibcurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CLibxml2", path: "Modules/CLibxml2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
      name: "CLibyaml", path: "Modules/CLibyaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", path: "Modules/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CBrotli", path: "Modules/CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", path: "Modules/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "CSQLite", path: "Modules/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
    // Commands of `swift package`: two for users, and one for this package.
    .plugin(
      name: "NewSerializer",
      capability: .command(
        intent: .custom(verb: "new-serializer", description: "Writes a package with a serializer for your own format.")),
      path: "Commands/NewSerializer"),
    .plugin(
      name: "NewTransport",
      capability: .command(
        intent: .custom(verb: "new-transport", description: "Writes a package with a transport of your own.")),
      path: "Commands/NewTransport"),
    .plugin(
      name: "APIText",
      capability: .command(
        intent: .custom(verb: "api-text", description: "Writes each module's public interface to API/."),
        permissions: [.writeToPackageDirectory(reason: "It writes the files in API/.")]),
      path: "Commands/APIText"),
  ]
)
