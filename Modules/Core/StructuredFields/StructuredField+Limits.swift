extension StructuredField {
  /// How much of a structured field is read before it is refused.
  ///
  /// The defaults take all that RFC 9651 requires an implementation to take (1,024 members, 256 items in an inner list,
  /// 256 parameters, byte sequences of 16,384 bytes) and stop there or a little above.
  public struct Limits: Sendable, Hashable {
    /// Bytes of the whole value, lines joined; 65,536 unless set.
    public var totalBytes: Int
    /// Members of a list or a dictionary; 1,024 unless set.
    public var members: Int
    /// Items of one inner list; 256 unless set.
    public var innerListItems: Int
    /// Parameters of one item or inner list; 256 unless set.
    public var parameters: Int

    /// Makes limits; each has a default.
    public init(totalBytes: Int = 65_536, members: Int = 1024, innerListItems: Int = 256, parameters: Int = 256) {
      self.totalBytes = totalBytes
      self.members = members
      self.innerListItems = innerListItems
      self.parameters = parameters
    }
  }
}
