/// What is known about the stored bytes when a response arrives.
public struct ResumePoint: Sendable, Hashable {
  /// How the URL that answered relates to the URL of the stored bytes.
  ///
  /// After redirects, it is the last URL that answers.
  public enum Source: Sendable, Hashable, CaseIterable {
    /// The URLs are equal, or the app vouches that both lead to the same file.
    case sameURL
    /// The URLs differ.
    ///
    /// Only a digest then proves that the file is the same, because a validator describes the versions of one URL.
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
  /// The `Last-Modified` of the stored bytes, if the validator is an entity tag; nil if there was none.
  public var lastModified: String?
  /// The length of the whole file; nil if no response has stated it.
  public var total: Int64?
  /// The digest of the whole file; nil if neither the app nor a response has stated it.
  ///
  /// It is compared with the digest of a response, and the whole file is compared with it before it is published.
  public var digest: ExpectedDigest?
  /// How the URL relates to that of the stored bytes.
  public var source: Source

  /// Creates a point.
  public init(
    length: Int64 = 0, validator: EntityValidator? = nil, lastModified: String? = nil, total: Int64? = nil,
    digest: ExpectedDigest? = nil, source: Source = .sameURL
  ) {
    self.length = length
    self.validator = validator
    self.lastModified = lastModified
    self.total = total
    self.digest = digest
    self.source = source
  }

  /// The offset that a GET may request; nil if it must request the whole file.
  public var offset: Int64? { length > 0 && validator != nil ? length : nil }
}
