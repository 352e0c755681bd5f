extension StructuredField {
  /// The limits beyond which a structured field is rejected.
  ///
  /// By default, a parser accepts everything that RFC 9651 requires (1,024 members, 256 items in an inner list, 256 parameters,
  /// byte sequences of 16,384 bytes), and little more.
  public struct Limits: Sendable, Hashable {
    /// The most bytes of the value with all its lines; by default 65,536.
    public var totalBytes: Int
    /// The most members of a list or a dictionary; by default 1,024.
    public var members: Int
    /// The most items of one inner list; by default 256.
    public var innerListItems: Int
    /// The most parameters of one item or inner list; by default 256.
    public var parameters: Int

    /// Creates limits; each has a default.
    public init(totalBytes: Int = 65_536, members: Int = 1024, innerListItems: Int = 256, parameters: Int = 256) {
      self.totalBytes = totalBytes
      self.members = members
      self.innerListItems = innerListItems
      self.parameters = parameters
    }
  }
}
