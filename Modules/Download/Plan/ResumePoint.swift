/// What is known of the bytes that are kept when a response comes.
public struct ResumePoint: Sendable, Hashable {
  /// How the URL of the request relates to the one the kept bytes came from.
  public enum Source: Sendable, Hashable, CaseIterable {
    /// It is the same.
    case sameURL
    /// It is another one, so a validator alone does not prove that the file is the same: each server has its own.
    case otherURL
    /// It is a fresh link to the same file, after the old one had expired. Another file is refused.
    case freshLink
  }

  /// How many bytes can be relied on, 0….
  public var length: Int64
  /// Which version of the file they belong to; nil when they cannot be joined with others.
  public var validator: EntityValidator?
  /// The length of the whole file; nil when no response has said it.
  public var total: Int64?
  /// Where the bytes came from.
  public var source: Source

  /// Creates a point.
  public init(
    length: Int64 = 0, validator: EntityValidator? = nil, total: Int64? = nil, source: Source = .sameURL
  ) {
    self.length = length
    self.validator = validator
    self.total = total
    self.source = source
  }

  /// The offset that a GET may ask to go on at; nil when it has to ask for the whole file.
  public var offset: Int64? { length > 0 && validator != nil ? length : nil }
}
