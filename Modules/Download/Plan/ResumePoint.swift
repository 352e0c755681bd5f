/// What is known about the stored bytes when a response arrives.
public struct ResumePoint: Sendable, Hashable {
  /// How the URL of the request relates to the URL of the stored bytes.
  public enum Source: Sendable, Hashable, CaseIterable {
    /// The URLs are equal.
    case sameURL
    /// The URLs differ.
    ///
    /// A validator alone then does not prove that the file is the same, because each server has its own.
    case otherURL
    /// It is a fresh link to the same file, after the old one has expired.
    ///
    /// Another file is refused.
    case freshLink
  }

  /// The number of trusted bytes, 0 or more.
  public var length: Int64
  /// The version of the file; nil if the bytes cannot be combined with others.
  public var validator: EntityValidator?
  /// The length of the whole file; nil if no response has stated it.
  public var total: Int64?
  /// The digest of the whole file; nil if neither the app nor a response has stated it.
  ///
  /// It is compared with the digest of a response from another URL.
  public var digest: ExpectedDigest?
  /// How the URL relates to that of the stored bytes.
  public var source: Source

  /// Creates a point.
  public init(
    length: Int64 = 0, validator: EntityValidator? = nil, total: Int64? = nil, digest: ExpectedDigest? = nil,
    source: Source = .sameURL
  ) {
    self.length = length
    self.validator = validator
    self.total = total
    self.digest = digest
    self.source = source
  }

  /// The offset that a GET may request; nil if it must request the whole file.
  public var offset: Int64? { length > 0 && validator != nil ? length : nil }
}
