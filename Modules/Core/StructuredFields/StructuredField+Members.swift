extension StructuredField {
  /// A bare item with its parameters (RFC 9651 §3.3).
  public struct Item: Sendable, Hashable {
    /// The value itself.
    public var value: BareItem
    /// What qualifies it; mostly empty.
    public var parameters: Parameters

    /// Creates an item, without parameters unless some are given.
    public init(_ value: BareItem, parameters: Parameters = [:]) {
      self.value = value
      self.parameters = parameters
    }
  }

  /// Items in parentheses, with parameters for the whole (RFC 9651 §3.1.1).
  public struct InnerList: Sendable, Hashable {
    /// The items, in order; none is allowed.
    public var items: [Item]
    /// What qualifies the list as a whole.
    public var parameters: Parameters

    /// Creates an inner list, without parameters unless some are given.
    public init(_ items: [Item], parameters: Parameters = [:]) {
      self.items = items
      self.parameters = parameters
    }
  }

  /// What a list or a dictionary holds at one place.
  public enum Member: Sendable, Hashable {
    /// A single item.
    case item(Item)
    /// Items in parentheses.
    case innerList(InnerList)

    /// The item, nil for an inner list.
    public var item: Item? {
      if case .item(let item) = self { item } else { nil }
    }

    /// The inner list, nil for an item.
    public var innerList: InnerList? {
      if case .innerList(let list) = self { list } else { nil }
    }
  }

  /// Members separated by commas (RFC 9651 §3.1).
  public struct List: Sendable, Hashable {
    /// The members, in order; an empty list is a field that is not sent.
    public var members: [Member]

    /// Creates a list of members.
    public init(_ members: [Member] = []) {
      self.members = members
    }
  }
}
