// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// A package of its own, because async-http-client and what it needs build for minutes.
let package = Package(
  name: "curlew-peers",
  products: [
    .executable(name: "curlew-peer", targets: ["CurlewPeer"]),
    .executable(name: "urlsession-peer", targets: ["URLSessionPeer"]),
    .executable(name: "async-http-client-peer", targets: ["AsyncHTTPClientPeer"]),
    .executable(name: "nio-websocket-peer", targets: ["NIOWebSocketPeer"]),
    .executable(name: "get-with-umbrella", targets: ["GetWithUmbrella"]),
    .executable(name: "get-with-parts", targets: ["GetWithParts"]),
    .executable(name: "get-with-async-http-client", targets: ["GetWithAsyncHTTPClient"]),
    .executable(name: "get-with-urlsession", targets: ["GetWithURLSession"]),
  ],
  dependencies: [
    .package(name: "curlew", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
  ],
  targets: [
    // The work itself, which knows no library.
    .target(name: "Work", path: "Sources/Work", swiftSettings: settings),
    .executableTarget(
      name: "CurlewPeer", dependencies: ["Work", .product(name: "Curlew", package: "curlew")],
      path: "Sources/CurlewPeer", swiftSettings: settings),
    .executableTarget(
      name: "URLSessionPeer", dependencies: ["Work"], path: "Sources/URLSessionPeer", swiftSettings: settings),
    .executableTarget(
      name: "AsyncHTTPClientPeer",
      dependencies: [
        "Work", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Sources/AsyncHTTPClientPeer", swiftSettings: settings),
    .executableTarget(
      name: "NIOWebSocketPeer",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      path: "Sources/NIOWebSocketPeer", swiftSettings: settings),
    .executableTarget(
      name: "GetWithUmbrella", dependencies: [.product(name: "Curlew", package: "curlew")],
      path: "Sources/GetWithUmbrella", swiftSettings: settings),
    .executableTarget(
      name: "GetWithParts",
      dependencies: [
        .product(name: "CurlewSession", package: "curlew"),
        .product(name: "CurlewCurlTransport", package: "curlew"),
        .product(name: "CurlewJSON", package: "curlew"),
      ],
      path: "Sources/GetWithParts", swiftSettings: settings),
    .executableTarget(
      name: "GetWithAsyncHTTPClient",
      dependencies: [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Sources/GetWithAsyncHTTPClient", swiftSettings: settings),
    .executableTarget(name: "GetWithURLSession", path: "Sources/GetWithURLSession", swiftSettings: settings),
  ]
)
