internal import COpenSSL
public import FoundationEssentials

/// Computes a hash of bytes that arrive in portions.
///
/// OpenSSL does the work, with special processor instructions where available. Use an instance from one task at a time.
///
/// ```swift
/// let digest = try Digest(.sha256)
/// for chunk in chunks { digest.update(chunk) }
/// print(try digest.finish().hexadecimal)
/// ```
public final class Digest {
  /// The hash function.
  public let algorithm: DigestAlgorithm
  private let context: OpaquePointer
  private var isWhole = true

  /// Creates a digest, to which bytes are then added with `update`.
  ///
  /// - Throws: `DigestError` when OpenSSL does not offer the algorithm (MD5 on FIPS systems) or has no memory.
  public init(_ algorithm: DigestAlgorithm) throws(DigestError) {
    guard let context = EVP_MD_CTX_new() else { throw DigestError(algorithm: algorithm, isOutOfMemory: true) }
    self.algorithm = algorithm
    self.context = context
    guard EVP_DigestInit_ex(context, algorithm.openSSL, nil) == 1 else { throw DigestError(algorithm: algorithm) }
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes to the hash.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    isWhole = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isWhole
  }

  /// Adds bytes to the hash.
  public func update(_ bytes: Data) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Returns the hash of all bytes added so far, and resets the digest.
  ///
  /// - Returns: `algorithm.length` bytes.
  /// - Throws: `DigestError` when OpenSSL had no memory for one of the portions; the digest is reset also then.
  public func finish() throws(DigestError) -> Data {
    var value = [UInt8](repeating: 0, count: algorithm.length)
    let isRight = EVP_DigestFinal_ex(context, &value, nil) == 1 && isWhole
    isWhole = EVP_DigestInit_ex(context, algorithm.openSSL, nil) == 1
    guard isRight else { throw DigestError(algorithm: algorithm, isOutOfMemory: true) }
    return Data(value)
  }

  /// Returns the hash of the given bytes.
  ///
  /// - Throws: The error of `init`.
  public static func of(_ bytes: Data, _ algorithm: DigestAlgorithm) throws(DigestError) -> Data {
    let digest = try Digest(algorithm)
    digest.update(bytes)
    return try digest.finish()
  }
}

/// The error when OpenSSL cannot compute a hash with an algorithm.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The algorithm.
  public let algorithm: DigestAlgorithm
  /// Whether there was no memory; otherwise OpenSSL does not offer the algorithm.
  public private(set) var isOutOfMemory = false

  /// A sentence about the error.
  public var description: String {
    isOutOfMemory
      ? "There is no memory for a \(algorithm.name) computation."
      : "This system's OpenSSL does not offer \(algorithm.name)."
  }
}

extension Data {
  /// The bytes in lower-case hexadecimal, two digits each.
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

extension DigestError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

/// A hash function.
public struct DigestAlgorithm: Sendable, Hashable, CustomStringConvertible {
  /// The name in the IANA registry, in lower case.
  ///
  /// The registry is "Hash Algorithms for HTTP Digest Fields" (RFC 9530).
  public let name: String
  /// The length of a hash in bytes.
  public let length: Int
  private let function: Function

  private enum Function {
    case md5
    case sha256
    case sha512
    case sha512Truncated
  }

  private init(_ name: String, length: Int, _ function: Function) {
    self.name = name
    self.length = length
    self.function = function
  }

  /// MD5 (RFC 1321), for protocols that still require it.
  ///
  /// Its collisions are easy to find, so it does not protect against deliberate changes.
  public static let md5 = DigestAlgorithm("md5", length: 16, .md5)
  /// SHA-256 (FIPS 180-4).
  public static let sha256 = DigestAlgorithm("sha-256", length: 32, .sha256)
  /// SHA-512 (FIPS 180-4).
  public static let sha512 = DigestAlgorithm("sha-512", length: 64, .sha512)
  /// SHA-512/256 (FIPS 180-4 §5.3.6.2).
  public static let sha512Truncated256 = DigestAlgorithm("sha-512-256", length: 32, .sha512Truncated)

  /// Creates an algorithm from its name in any case; nil if it is unknown.
  public init?(name: String) {
    let all: [DigestAlgorithm] = [.md5, .sha256, .sha512, .sha512Truncated256]
    guard let found = all.first(where: { $0.name == name.lowercased() }) else { return nil }
    self = found
  }

  /// The name.
  public var description: String { name }

  /// OpenSSL's object for the algorithm, which lives as long as the process.
  var openSSL: OpaquePointer? {
    switch function {
    case .md5: EVP_md5()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    case .sha512Truncated: EVP_sha512_256()
    }
  }
}
