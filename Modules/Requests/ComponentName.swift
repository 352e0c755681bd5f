/// A name by which an archive refers to a component that it cannot contain.
///
/// Components are loaders, serializers and policies. The name includes the type of its component, so an archive never yields a
/// serializer in place of a loader.
///
/// ```swift
/// extension ComponentName where Component == Loader { static let api = Self("api") }
/// ```
public struct ComponentName<Component: Sendable>: Sendable, Hashable, CustomStringConvertible {
  /// The name as written in archives.
  public let rawValue: String

  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The name and the type of the component.
  public var description: String { "\(rawValue) (\(Component.self))" }
}

extension ComponentName: Codable {
  /// Reads a name; `Decoder.component(_:)` finds its component.
  ///
  /// - Throws: `DecodingError` for anything except a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
