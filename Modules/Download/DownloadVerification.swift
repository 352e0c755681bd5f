import CurlewCore
import CurlewDigests
import FoundationEssentials
import Glibc
import HTTPTypes

/// How a downloaded file is verified before it appears under its name.
public struct DownloadVerification: Sendable, Hashable {
  /// The digest that the app expects; it takes precedence over the server's.
  public var expected: ExpectedDigest?
  /// Whether the digests that the server sends are checked.
  ///
  /// They are `Repr-Digest` and `Content-Digest` (RFC 9530) and `Digest` (RFC 3230), in the header or the trailers. Unknown
  /// algorithms, MD5 and malformed fields are ignored, as RFC 9530 §2 allows.
  public var usesFields: Bool

  /// Creates a verification.
  public init(expected: ExpectedDigest? = nil, usesFields: Bool = true) {
    self.expected = expected
    self.usesFields = usesFields
  }

  /// Verifies the digests that the server sends, if any.
  public static let fields = DownloadVerification()
  /// Verifies only lengths.
  public static let none = DownloadVerification(usesFields: false)
  /// Expects a digest.
  public static func digest(_ expected: ExpectedDigest) -> DownloadVerification {
    DownloadVerification(expected: expected)
  }
}

/// Reads the digests of a response.
enum DigestFields {
  /// The collision-resistant algorithms, strongest first.
  private static let trusted: [DigestAlgorithm] = [.sha512, .sha512Truncated256, .sha256]
  private static let representation = HTTPField.Name("Repr-Digest")
  private static let content = HTTPField.Name("Content-Digest")
  private static let legacy = HTTPField.Name("Digest")

  /// Returns the digest of the whole file; nil if the fields have no usable one.
  ///
  /// No digest is usable if a content coding was decoded, because the digests describe the coded bytes.
  ///
  /// - Parameter fields: The fields of the response, or its trailers.
  static func whole(_ head: ResponseHead, in fields: HTTPFields) -> ExpectedDigest? {
    guard head.undoneCoding == nil else { return nil }
    // In a response with the whole file, both fields describe the same bytes.
    let content = head.status == .partialContent ? nil : structured(content, fields)
    return structured(representation, fields) ?? content ?? instance(fields)
  }

  /// Returns the digest of the body of a 206; nil if the fields have no usable one.
  ///
  /// - Parameter fields: The fields of the response, or its trailers.
  static func part(_ head: ResponseHead, in fields: HTTPFields) -> ExpectedDigest? {
    head.status == .partialContent ? structured(content, fields) : nil
  }

  private static func structured(_ name: HTTPField.Name?, _ fields: HTTPFields) -> ExpectedDigest? {
    guard let name, let members = try? fields.structured(name, as: StructuredField.Dictionary.self) else { return nil }
    return strongest { algorithm in
      guard case .byteSequence(let value)? = members[algorithm.name]?.item?.value else { return nil }
      return value
    }
  }

  /// Reads `Digest: sha-256=BASE64` (RFC 3230 §4.3.2), ignoring the names' case.
  private static func instance(_ fields: HTTPFields) -> ExpectedDigest? {
    guard let legacy, let text = fields[legacy], text.utf8.count <= 8_192 else { return nil }
    var found: [String: Data] = [:]
    for element in FieldList(text) {
      guard let equals = element.firstIndex(of: "=") else { continue }
      found[element[..<equals].lowercased()] = Data(base64Encoded: String(element[element.index(after: equals)...]))
    }
    return strongest { found[$0.name] }
  }

  private static func strongest(_ value: (DigestAlgorithm) -> Data?) -> ExpectedDigest? {
    for algorithm in trusted {
      if let expected = value(algorithm).flatMap({ try? ExpectedDigest(algorithm, $0) }) { return expected }
    }
    return nil
  }
}

/// The digest of a growing file.
///
/// Bytes that are written in order are hashed at once, other bytes are read from the file later. Only the disk's thread uses
/// it.
final class RunningDigest {
  /// The most bytes to read and hash at once.
  ///
  /// The limit keeps other downloads on the same disk from waiting long.
  static let piece: Int64 = 8 << 20
  private static let buffer: Int64 = 262_144

  let algorithm: DigestAlgorithm
  private let digest: Digest
  private let start: Int64
  /// The offset behind the last byte that is in the digest.
  private(set) var position: Int64
  private var value: Data?

  /// - Parameter start: The offset of the first byte that belongs to it.
  init(_ algorithm: DigestAlgorithm, from start: Int64 = 0) throws(DigestError) {
    self.algorithm = algorithm
    self.start = start
    position = start
    digest = try Digest(algorithm)
  }

  /// Hashes bytes that were written at an offset.
  ///
  /// Bytes that do not follow the previous ones are read from the file later.
  func absorb(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard offset == position, value == nil else { return }
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  /// Starts again if the digest covers bytes that were cut off.
  func cut(to length: Int64) {
    guard position > length || value != nil else { return }
    _ = try? digest.finish()
    position = start
    value = nil
  }

  /// Reads at most one piece of the bytes that are missing up to a length.
  ///
  /// - Returns: Whether the digest now covers all bytes up to the length.
  func catchUp(_ file: any OpenFile, to length: Int64) throws(FileSystemError) -> Bool {
    let end = min(length, position + Self.piece)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Self.buffer), alignment: 16)
    defer { bytes.deallocate() }
    while position < end {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(min(Self.buffer, end - position))])
      let count = try file.read(into: wanted, at: position)
      guard count > 0 else { throw FileSystemError(code: EIO, operation: "pread", path: "") }
      digest.update(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
      position += Int64(count)
    }
    return position >= length
  }

  /// Returns the digest of all bytes so far.
  ///
  /// Afterwards it accepts no bytes, unless the file is cut.
  ///
  /// - Throws: `DigestError` when OpenSSL had no memory; the digest then covers no bytes, and `catchUp` reads them again.
  func finish() throws(DigestError) -> Data {
    if let value { return value }
    let covered = position
    position = start
    let result = try digest.finish()
    position = covered
    value = result
    return result
  }
}
