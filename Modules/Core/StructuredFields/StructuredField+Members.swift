extension StructuredField {
  /// A bare item with its parameters (RFC 9651 §3.3).
  public struct Item: Sendable, Hashable {
    /// The value.
    public var value: BareItem
    /// The parameters of the value; usually empty.
    public var parameters: Parameters

    /// Creates an item; by default it has no parameters.
    public init(_ value: BareItem, parameters: Parameters = [:]) {
      self.value = value
      self.parameters = parameters
    }
  }

  /// A list of items in parentheses, with parameters (RFC 9651 §3.1.1).
  public struct InnerList: Sendable, Hashable {
    /// The items in order; may be empty.
    public var items: [Item]
    /// The parameters of the list as a whole.
    public var parameters: Parameters

    /// Creates an inner list; by default it has no parameters.
    public init(_ items: [Item], parameters: Parameters = [:]) {
      self.items = items
      self.parameters = parameters
    }
  }

  /// One member of a list or a dictionary.
  public enum Member: Sendable, Hashable {
    /// A single item.
    case item(Item)
    /// A list of items in parentheses.
    case innerList(InnerList)

    /// The item; nil for an inner list.
    public var item: Item? {
      if case .item(let item) = self { item } else { nil }
    }

    /// The inner list; nil for an item.
    public var innerList: InnerList? {
      if case .innerList(let list) = self { list } else { nil }
    }
  }

  /// A list of members separated by commas (RFC 9651 §3.1).
  public struct List: Sendable, Hashable {
    /// The members in order; the field of an empty list is not sent.
    public var members: [Member]

    /// Creates a list of members.
    public init(_ members: [Member] = []) {
      self.members = members
    }
  }
}
