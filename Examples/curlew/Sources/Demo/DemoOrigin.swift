import CurlewDigests
import CurlewTestSupport
import FoundationEssentials

/// The resources and the misbehaviour of the demo's origin.
enum DemoOrigin {
  /// The size of the large file, which is generated.
  static let fileSize: Int64 = 24 << 20
  /// The size of each of several files.
  static let partSize: Int64 = 6 << 20
  /// The size of each file of a batch.
  static let flockSize: Int64 = 1 << 20
  /// The size of a body that no buffer on the way can hold.
  static let endlessSize: Int64 = 256 << 20

  static func answer(_ request: OriginRequest) async -> OriginReply {
    switch request.path {
    case "/birds/7":
      .json(#"{"id":7,"name":"Numenius arquata","wingspan":0.95}"#)
    case "/voyage.bin":
      .ok(.seeded(1), count: fileSize).throttled(to: 12 << 20)
    case "/island.bin", "/coast.bin":
      SeededResource(length: fileSize, seed: 4).reply(to: request).throttled(to: 24 << 20)
    case "/lagoon.bin", "/strait.bin":
      SeededResource(length: partSize, seed: 6).reply(to: request).throttled(to: 12 << 20)
    case "/reef.bin":
      SeededResource(length: partSize, seed: 5).reply(to: request).throttled(to: 12 << 20)
    case "/1.bin", "/2.bin", "/3.bin", "/4.bin":
      .ok(.seeded(seed(of: request.path)), count: partSize).throttled(to: 4 << 20)
    case let path where path.hasPrefix("/flock/"):
      .ok(.seeded(5), count: flockSize).throttled(to: 4 << 20)
    case "/endless.bin":
      .ok(.seeded(2), count: endlessSize)
    case "/cut.bin":
      .ok(.seeded(3), count: fileSize).cut(after: fileSize / 2)
    case "/missing.bin":
      .status(404, "There is no such file, and this page is not it.")
    case "/silence":
      OriginReply(.head(200, ["Content-Length": "10"]), .body("half "), .stall)
    case "/last":
      .ok("The connection closes when the next request comes.").idling(.closeOnNextRequest)
    case "/echo":
      .ok(digest(of: await request.body()))
    default:
      .ok("Hello.")
    }
  }

  /// Returns the SHA-256, in hexadecimal, of the body generated from a seed.
  static func digest(seed: UInt64, count: Int64) throws -> String {
    let digest = try Digest(.sha256)
    var offset: Int64 = 0
    while offset < count {
      let bytes = BytePattern.seeded(seed).bytes(from: offset, count: Int(min(1 << 20, count - offset)))
      bytes.withUnsafeBytes { digest.update($0) }
      offset += Int64(bytes.count)
    }
    return try digest.finish().hexadecimal
  }

  /// Returns the SHA-256, in hexadecimal, of some bytes.
  static func digest(_ bytes: Data) throws -> String { try Digest.of(bytes, .sha256).hexadecimal }

  static func seed(of path: String) -> UInt64 { UInt64(path.utf8.dropFirst().first ?? 0) }

  private static func digest(of body: [UInt8]) -> String {
    (try? Digest.of(Data(body), .sha256).hexadecimal) ?? "no digest"
  }
}
