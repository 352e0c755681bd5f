internal import COpenSSL
public import FoundationEssentials

/// A digest in the making: takes bytes in any portions and gives their hash at the end.
///
/// OpenSSL does the work, with the processor's own instructions where it has them. Not for use from two tasks at once.
///
/// ```swift
/// let digest = try Digest(.sha256)
/// for chunk in chunks { digest.update(chunk) }
/// print(digest.finish().hexadecimal)
/// ```
public final class Digest {
  /// Which hash it is.
  public let algorithm: DigestAlgorithm
  private let context: OpaquePointer
  private var isWhole = true

  /// Starts a digest of no bytes.
  ///
  /// - Throws: `DigestError` where OpenSSL has the algorithm switched off (MD5 on FIPS systems) or memory is short.
  public init(_ algorithm: DigestAlgorithm) throws(DigestError) {
    guard let context = EVP_MD_CTX_new() else { throw DigestError(algorithm: algorithm) }
    self.algorithm = algorithm
    self.context = context
    guard EVP_DigestInit_ex(context, algorithm.openSSL, nil) == 1 else { throw DigestError(algorithm: algorithm) }
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    isWhole = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isWhole
  }

  /// Adds bytes.
  public func update(_ bytes: Data) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// The hash of all bytes so far, after which the digest starts anew.
  ///
  /// - Returns: `algorithm.length` bytes; none when OpenSSL failed, which it does for lack of memory only.
  public func finish() -> Data {
    var value = [UInt8](repeating: 0, count: algorithm.length)
    isWhole = EVP_DigestFinal_ex(context, &value, nil) == 1 && isWhole
    let result = isWhole ? Data(value) : Data()
    isWhole = EVP_DigestInit_ex(context, algorithm.openSSL, nil) == 1
    return result
  }

  /// The hash of bytes that are all there.
  ///
  /// - Throws: As `init`.
  public static func of(_ bytes: Data, _ algorithm: DigestAlgorithm) throws(DigestError) -> Data {
    let digest = try Digest(algorithm)
    digest.update(bytes)
    return digest.finish()
  }
}

/// An algorithm that this system's OpenSSL does not offer.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which one.
  public let algorithm: DigestAlgorithm

  /// What it is, in words.
  public var description: String { "This system's OpenSSL offers no \(algorithm.name)." }
}

extension Data {
  /// The bytes as lower-case hexadecimal digits, two each.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
