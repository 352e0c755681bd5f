import CurlewDigests
import FoundationEssentials

/// The scope of a signature, and the key that belongs to it.
struct SigningKey {
  /// The time as in `X-Amz-Date`: `20130524T000000Z`.
  let time: String
  /// The day, region and service, for which alone the key is good.
  let scope: String
  private let key: Data

  /// Derives a key.
  ///
  /// - Throws: `DigestError`.
  init(_ secret: String, time: String, region: String, service: String) throws(DigestError) {
    self.time = time
    let day = String(time.prefix(8))
    scope = [day, region, service, "aws4_request"].joined(separator: "/")
    var key = Data("AWS4".utf8) + Data(secret.utf8)
    for part in [day, region, service, "aws4_request"] { key = try Self.hmac(Data(part.utf8), key) }
    self.key = key
  }

  /// Returns the signature of a canonical request.
  ///
  /// - Throws: `DigestError`.
  func signature(of canonicalRequest: String) throws(DigestError) -> String {
    let hash = try Digest.of(Data(canonicalRequest.utf8), .sha256).hexadecimal
    let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
    return try Self.hmac(Data(text.utf8), key).hexadecimal
  }

  /// HMAC with SHA-256 (RFC 2104).
  private static func hmac(_ message: Data, _ key: Data) throws(DigestError) -> Data {
    let blockSize = 64
    var block = key.count > blockSize ? try Digest.of(key, .sha256) : key
    block.append(Data(count: blockSize - block.count))
    let inner = try Digest.of(Data(block.map { $0 ^ 0x36 }) + message, .sha256)
    return try Digest.of(Data(block.map { $0 ^ 0x5C }) + inner, .sha256)
  }
}
