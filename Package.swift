// swift-tools-version: 6.2
import PackageDescription

/// One row a module: its folder under `Modules/`, what it imports of ours and of others.
/// The target is called `Curlew<folder>`, its tests live in `Tests/<folder>Tests`.
struct Module {
  var folder: String
  var imports: [String] = []
  /// Those of the imports that need the trait of the same name.
  var traits: [String] = []
  var other: [Target.Dependency] = []
  var tests: [String]? = []
  /// What the tests read at run time, below their folder.
  var testData: [String] = []
  var target: String { folder == "Curlew" ? "Curlew" : "Curlew" + folder }
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let modules: [Module] = [
  Module(folder: "Core", other: ["CLinux"]),
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
    traits: ["XML", "YAML"],
    tests: ["TestSupport", "URLSessionTransport", "Operations", "SessionManagers", "Reachability"]),
  Module(
    folder: "TestSupport", imports: ["Core", "Loading", "ContentCoding", "Serialization", "Session"],
    other: ["CLinux", "COpenSSL"], tests: ["TestHarness"]),
]

/// One row a plugin: its folder under `Plugins/`. A plugin may use only what `public` offers of the modules: the compiler checks it.
///
/// If it needs another package or another library of the system, they belong to a trait. Without the trait they are neither fetched nor
/// looked for, and the plugin's files, which stand in `#if`, are empty.
struct Plugin {
  var folder: String
  var target: String
  var trait: String?
  var imports: [String]
  /// Products of other packages, each with its package.
  var products: [(name: String, package: String)] = []
  /// Targets with the headers of a library of the system.
  var libraries: [String] = []
  /// What the tests import in addition.
  var tests: [String] = []
  var testProducts: [(name: String, package: String)] = []
  var testData: [String] = []
  /// A program that the tests start.
  var worker: String?
}

let plugins: [Plugin] = [
  Plugin(
    folder: "AWSSignature", target: "CurlewAWSSignature", imports: ["Core", "Digests"],
    tests: ["Loading", "Download", "Batch", "SQLiteBatchStore", "CurlTransport", "TestSupport"], testData: ["Vectors"]),
  Plugin(
    folder: "AsyncHTTPClientTransport", target: "CurlewAsyncHTTPClientTransport", trait: "AsyncHTTPClient",
    imports: ["Core"],
    products: [
      ("AsyncHTTPClient", "async-http-client"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"),
      ("NIOHTTP2", "swift-nio-http2"), ("NIOPosix", "swift-nio"), ("NIOTLS", "swift-nio"), ("NIOSSL", "swift-nio-ssl"),
    ], tests: ["CurlTransport", "Security", "TestSupport"]),
  Plugin(
    folder: "CBORSerializer", target: "CurlewCBOR", imports: ["Core", "Serialization"], tests: ["TestSupport"]),
  Plugin(folder: "CSVSerializer", target: "CurlewCSV", imports: ["Core", "Serialization"], tests: ["TestSupport"]),
  Plugin(
    folder: "Configuration", target: "CurlewConfiguration", trait: "Configuration",
    imports: ["Core", "Loading", "Requests", "Security", "Session"],
    products: [("Configuration", "swift-configuration")],
    tests: ["TestSupport"]),
  Plugin(
    folder: "HAR", target: "CurlewHAR", imports: ["Core", "JSON", "ContentCoding"],
    tests: ["CurlTransport", "Loading", "Storage", "Security", "AWSSignature", "TestSupport"]),
  Plugin(
    folder: "HARReplay", target: "CurlewReplay", imports: ["Core", "HAR", "TestSupport"],
    tests: ["CurlTransport", "Loading"], testData: ["Recordings"]),
  Plugin(
    folder: "Observability", target: "CurlewObservability", trait: "Observability", imports: ["Core"],
    products: [
      ("Logging", "swift-log"), ("CoreMetrics", "swift-metrics"), ("Tracing", "swift-distributed-tracing"),
    ], tests: ["Loading", "TestSupport"],
    testProducts: [("MetricsTestKit", "swift-metrics"), ("InMemoryTracing", "swift-distributed-tracing")]),
  Plugin(
    folder: "PostgresBatchStore", target: "CurlewPostgresBatchStore", trait: "Postgres",
    imports: ["Core", "Requests", "Storage", "Batch"], libraries: ["CLibpq"],
    tests: ["BatchTesting", "SQLiteBatchStore", "TestSupport"], worker: "postgres-batch-worker"),
  Plugin(
    folder: "ProtobufSerializer", target: "CurlewProtobuf", trait: "Protobuf",
    imports: ["Core", "Serialization", "JSON"], products: [("SwiftProtobuf", "swift-protobuf")],
    tests: ["TestSupport"], testData: ["Messages/bird.proto"]),
  Plugin(
    folder: "ServiceLifecycle", target: "CurlewServiceLifecycle", trait: "ServiceLifecycle", imports: ["Operations"],
    products: [("ServiceLifecycle", "swift-service-lifecycle")], tests: ["Core", "Loading"],
    testProducts: [("UnixSignals", "swift-service-lifecycle"), ("Logging", "swift-log")]),
  Plugin(
    folder: "WebSocket", target: "CurlewWebSocket", imports: ["Core", "Loading", "Serialization", "Session"],
    libraries: ["CZlib", "COpenSSL"],
    tests: ["CurlTransport", "Requests", "Security", "JSON", "HAR", "TestSupport"]),
]

/// The modules and plugins whose tests are built. `Scripts/test-module JSON XML` sets the variable, so that nothing else is compiled.
let testedModules = Context.environment["CURLEW_TESTS"]?.split(separator: ",").map(String.init)

/// The settings of every Swift target, in one place.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The targets of a plugin. `packageAccess: false` hides what is not `public` in the modules.
func targets(of plugin: Plugin) -> [Target] {
  let folder = "Plugins/" + plugin.folder
  let condition = plugin.trait.flatMap { TargetDependencyCondition.when(traits: [$0]) }
  func dependencies(_ imports: [String], _ products: [(name: String, package: String)]) -> [Target.Dependency] {
    var all: [Target.Dependency] = imports.map { .target(name: "Curlew" + $0) }
    all += products.map { .product(name: $0.name, package: $0.package, condition: condition) }
    return all
  }
  var needs = dependencies(plugin.imports, plugin.products)
  needs += plugin.libraries.map { .target(name: $0, condition: condition) }
  needs.append(httpTypes)
  var targets: [Target] = [
    .target(
      name: plugin.target, dependencies: needs, path: folder + "/Sources", packageAccess: false, swiftSettings: settings
    )
  ]
  guard testedModules?.contains(plugin.folder) ?? true else { return targets }
  needs.append(.target(name: plugin.target))
  if let worker = plugin.worker {
    targets.append(
      .executableTarget(
        name: worker, dependencies: needs, path: folder + "/Worker", packageAccess: false, swiftSettings: settings))
    needs.append(.target(name: worker))
  }
  needs += dependencies(plugin.tests, plugin.testProducts)
  targets.append(
    .testTarget(
      name: plugin.target + "Tests", dependencies: needs, path: folder + "/Tests", exclude: plugin.testData,
      packageAccess: false, swiftSettings: settings))
  return targets
}

let package = Package(
  name: "curlew",
  products: modules.map { .library(name: $0.target, targets: [$0.target]) }
    + plugins.map { .library(name: $0.target, targets: [$0.target]) } + [
      // The rules for transports, serializers and batch stores, and what their tests need.
      .library(name: "CurlewConformance", targets: ["CurlewTestSupport", "CurlewBatchTesting"]),
      .plugin(name: "NewSerializer", targets: ["NewSerializer"]),
      .plugin(name: "NewTransport", targets: ["NewTransport"]),
    ],
  traits: [
    .default(enabledTraits: ["XML", "YAML"]),
    .trait(name: "XML", description: "XML in the umbrella Curlew; needs libxml2-dev"),
    .trait(name: "YAML", description: "YAML in the umbrella Curlew; needs libyaml-dev"),
    .trait(name: "AsyncHTTPClient", description: "CurlewAsyncHTTPClientTransport, over async-http-client and SwiftNIO"),
    .trait(name: "Configuration", description: "CurlewConfiguration, for swift-configuration"),
    .trait(
      name: "Observability",
      description: "CurlewObservability: swift-log, swift-metrics and swift-distributed-tracing"),
    .trait(name: "Postgres", description: "CurlewPostgresBatchStore; needs libpq-dev"),
    .trait(name: "Protobuf", description: "CurlewProtobuf, over swift-protobuf"),
    .trait(name: "ServiceLifecycle", description: "CurlewServiceLifecycle, for swift-service-lifecycle"),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // Each of these belongs to a trait: without it, SwiftPM does not fetch the package.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: modules.flatMap { module -> [Target] in
    var imports: [Target.Dependency] = module.imports.map {
      .target(name: "Curlew" + $0, condition: module.traits.contains($0) ? .when(traits: [$0]) : nil)
    }
    imports += module.other + [httpTypes]
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
  } + plugins.flatMap(targets(of:)) + [
    // What only our own tests want: no product, so that no user builds it.
    .target(
      name: "CurlewTestHarness",
      dependencies: ["CurlewCore", "CurlewLoading", "CurlewTestSupport", "COpenSSL", "CLinux", httpTypes],
      path: "Tests/Support", swiftSettings: settings),
    // Without pkg-config: SwiftPM warns in every build of an app about the flags that Debian 13 has there. The header names the package.
    .systemLibrary(name: "CLibcurl", path: "Modules/CLibcurl"),
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
    .systemLibrary(
      name: "CLibpq", path: "Plugins/PostgresBatchStore/CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // Commands of `swift package`: two for users, and one for this package.
    .plugin(
      name: "NewSerializer",
      capability: .command(
        intent: .custom(verb: "new-serializer", description: "Writes a package with a serializer for your own format.")),
      path: "Plugins/Commands/NewSerializer"),
    .plugin(
      name: "NewTransport",
      capability: .command(
        intent: .custom(verb: "new-transport", description: "Writes a package with a transport of your own.")),
      path: "Plugins/Commands/NewTransport"),
    .plugin(
      name: "APIText",
      capability: .command(
        intent: .custom(verb: "api-text", description: "Writes each module's public interface to API/."),
        permissions: [.writeToPackageDirectory(reason: "It writes the files in API/.")]),
      path: "Plugins/Commands/APIText"),
  ]
)
