import CurlewCore
import CurlewDigests
import FoundationEssentials
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
