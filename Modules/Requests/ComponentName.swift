/// The name of a part of an app that an archive cannot hold: a loader, a serializer, a policy.
///
/// The type of the part belongs to the name, so that an archive never gets a serializer where it wants a loader.
///
/// ```swift
/// extension ComponentName where Component == Loader { static let api = Self("api") }
/// ```
public struct ComponentName<Component: Sendable>: Sendable, Hashable, CustomStringConvertible {
  /// The name, as archives hold it.
  public let rawValue: String

  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The name with the type of the part.
  public var description: String { "\(rawValue) (\(Component.self))" }
}

extension ComponentName: Codable {
  /// Reads a name; `Decoder.component(_:)` finds the part.
  ///
  /// - Throws: `DecodingError` for anything but a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
