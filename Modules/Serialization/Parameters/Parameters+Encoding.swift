import FoundationEssentials

extension Parameters {
  /// Makes parameters of any encodable value.
  ///
  /// Dates, data, and parameters themselves are kept as such, URLs and decimals become text. A dictionary's members are
  /// sorted by name, because a dictionary has no order; a `Set` becomes a `.set`.
  ///
  /// - Throws: What the value throws; `ParametersError` of kind `tooDeep`, alone or in an `EncodingError`, when it is
  ///   nested deeper than `maximumDepth`.
  public init(encoding value: some Encodable) throws {
    let slot = ParametersSlot()
    let depth = DepthGauge()
    try ParametersEncoder(slot, path: [], depth: depth).write(value)
    guard !depth.isExceeded else { throw ParametersError(.tooDeep) }
    self = slot.parameters
  }
}

/// Whether containers were asked for deeper than allowed, where no error can be thrown.
final class DepthGauge {
  var isExceeded = false
}

/// A place in the tree that is being made.
final class ParametersSlot {
  enum Content {
    case nothing
    case value(Parameters)
    case elements([ParametersSlot])
    case members([(name: String, slot: ParametersSlot)])
  }

  var content = Content.nothing
  /// Whether the order of what is inside means nothing.
  var isUnordered = false
  /// Where a name stands among the members.
  private var places: [String: Int] = [:]

  var parameters: Parameters {
    switch content {
    case .nothing: return .object([])
    case .value(let value): return value
    case .elements(let slots):
      let elements = slots.map(\.parameters)
      return isUnordered ? .set(elements) : .array(elements)
    case .members(let slots):
      let members = slots.map { Parameters.Member($0.name, $0.slot.parameters) }
      return .object(isUnordered ? members.sorted { $0.name < $1.name } : members)
    }
  }

  func beginElements() {
    if case .elements = content { return }
    content = .elements([])
  }

  func beginMembers() {
    if case .members = content { return }
    content = .members([])
  }

  var count: Int {
    if case .elements(let slots) = content { slots.count } else { 0 }
  }

  /// A new last element.
  func element() -> ParametersSlot {
    let slot = ParametersSlot()
    guard case .elements(var slots) = content else { return slot }
    content = .nothing
    slots.append(slot)
    content = .elements(slots)
    return slot
  }

  /// The member of a name; the same one when it is asked for twice.
  func member(_ name: String) -> ParametersSlot {
    guard case .members(var slots) = content else { return ParametersSlot() }
    if let place = places[name] { return slots[place].slot }
    let slot = ParametersSlot()
    content = .nothing
    places[name] = slots.count
    slots.append((name, slot))
    content = .members(slots)
    return slot
  }
}

/// Marks values whose members come in no order.
private protocol Unordered {}
extension Set: Unordered {}
extension Dictionary: Unordered {}

/// Writes one value into its place.
struct ParametersEncoder: Encoder {
  let slot: ParametersSlot
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  let depth: DepthGauge

  init(_ slot: ParametersSlot, path: [any CodingKey], depth: DepthGauge) {
    self.slot = slot
    self.depth = depth
    codingPath = path
  }

  /// An encoder one level below; past the limit one whose values are lost, as the depth gauge then says.
  func inner(_ slot: ParametersSlot, _ key: any CodingKey) -> ParametersEncoder {
    guard codingPath.count < Parameters.maximumDepth else {
      depth.isExceeded = true
      return ParametersEncoder(ParametersSlot(), path: codingPath, depth: depth)
    }
    return ParametersEncoder(slot, path: codingPath + [key], depth: depth)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    slot.beginMembers()
    return KeyedEncodingContainer(ParametersKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    slot.beginElements()
    return ParametersUnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ParametersSingleContainer(encoder: self) }

  func write(_ value: some Encodable) throws {
    guard codingPath.count < Parameters.maximumDepth else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: Array(codingPath.prefix(8)), debugDescription: "The value is nested too deep.",
          underlyingError: ParametersError(.tooDeep)))
    }
    switch value {
    case let value as Parameters: slot.content = .value(value)
    case let value as Date: slot.content = .value(.date(value))
    case let value as Data: slot.content = .value(.data(value))
    case let value as URL: slot.content = .value(.string(value.absoluteString))
    case let value as Decimal: slot.content = .value(.string(value.description))
    default:
      slot.isUnordered = value is any Unordered
      try value.encode(to: self)
    }
  }
}

extension Parameters: Encodable {
  /// Writes what it holds, with any encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value):
      if let small = Int64(exactly: value) {
        try small.encode(to: encoder)
      } else if let small = UInt64(exactly: value) {
        try small.encode(to: encoder)
      } else {
        try value.encode(to: encoder)
      }
    case .double(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .date(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .data(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .array(let elements), .set(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let members):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for member in members { try container.encode(member.value, forKey: AnyCodingKey(member.name)) }
    }
  }
}
