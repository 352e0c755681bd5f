import FoundationEssentials

extension Parameters {
  /// Creates parameters from any encodable value.
  ///
  /// Dates, data and parameters are kept unchanged; URLs and decimals become text. The members of a dictionary are
  /// sorted by name, because a dictionary has no order; a `Set` becomes a `.set`.
  ///
  /// - Throws: The value's own error; `ParametersError` of kind `tooDeep`, possibly inside an `EncodingError`, when it
  ///   is nested deeper than `maximumDepth`.
  public init(encoding value: some Encodable) throws {
    let slot = ParametersSlot()
    let depth = DepthGauge()
    try ParametersEncoder(slot, path: [], depth: depth).write(value)
    guard !depth.isExceeded else { throw ParametersError(.tooDeep) }
    self = slot.parameters
  }

  /// Creates an object from named values of any encodable types, in their order; nil is left out.
  ///
  /// ```swift
  /// let query = try Parameters(encoding: ["name": text, "page": 2])
  /// ```
  ///
  /// - Throws: The errors of `init(encoding:)` for a value.
  public init(encoding pairs: KeyValuePairs<String, (any Encodable & Sendable)?>) throws {
    self = .object(
      try pairs.compactMap { name, value in try value.map { Member(name, try Parameters(encoding: $0)) } })
  }
}

/// Records that containers are nested too deep.
///
/// The methods of `Encoder` that open a container cannot throw, so the error is thrown after encoding.
final class DepthGauge {
  var isExceeded = false
}

/// A node of the tree that is being built.
final class ParametersSlot {
  enum Content {
    case nothing
    case value(Parameters)
    case elements([ParametersSlot])
    case members([(name: String, slot: ParametersSlot)])
  }

  var content = Content.nothing
  /// Whether the order of the elements or members has no meaning.
  var isUnordered = false
  /// The index of each name among the members.
  private var places: [ExactString: Int] = [:]

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
    places = [:]
    content = .members([])
  }

  var count: Int {
    if case .elements(let slots) = content { slots.count } else { 0 }
  }

  /// Adds an element and returns it.
  func element() -> ParametersSlot {
    let slot = ParametersSlot()
    guard case .elements(var slots) = content else { return slot }
    content = .nothing
    slots.append(slot)
    content = .elements(slots)
    return slot
  }

  /// Returns the member with a name, and adds it if the name is new.
  func member(_ name: String) -> ParametersSlot {
    guard case .members(var slots) = content else { return ParametersSlot() }
    if let place = places[ExactString(name)] { return slots[place].slot }
    let slot = ParametersSlot()
    content = .nothing
    places[ExactString(name)] = slots.count
    slots.append((name, slot))
    content = .members(slots)
    return slot
  }
}

/// Marks types whose elements have no order.
private protocol Unordered {}
extension Set: Unordered {}
extension Dictionary: Unordered {}

/// Encodes one value into its node.
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

  /// Returns an encoder one level deeper.
  ///
  /// Beyond the limit, its values are dropped, and the depth gauge records that.
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
          codingPath: Array(codingPath.prefix(8)),
          debugDescription: "The value is nested deeper than \(Parameters.maximumDepth) levels.",
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
  /// Encodes the contained value with any encoder.
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
