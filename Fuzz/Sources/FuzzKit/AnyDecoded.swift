/// A tree of decoded values, which asks all containers of a decoder.
public indirect enum AnyDecoded: Decodable, Sendable {
  /// A value without nested values.
  case leaf
  /// The elements of an array.
  case elements([AnyDecoded])
  /// The members of an object.
  case members([String: AnyDecoded])

  /// Tries each kind in turn.
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.singleValueContainer().decode([String: AnyDecoded].self) {
      self = .members(members)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [AnyDecoded] = []
      while !container.isAtEnd { elements.append(try container.decode(AnyDecoded.self)) }
      self = .elements(elements)
    } else {
      let container = try decoder.singleValueContainer()
      _ = container.decodeNil()
      _ = try? container.decode(Bool.self)
      _ = try? container.decode(Int.self)
      _ = try? container.decode(UInt8.self)
      _ = try? container.decode(Double.self)
      _ = try? container.decode(Float.self)
      _ = try? container.decode(String.self)
      self = .leaf
    }
  }
}
