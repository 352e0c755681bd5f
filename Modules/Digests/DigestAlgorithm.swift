internal import COpenSSL

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
