public import CurlewCore
public import FoundationEssentials

/// Makes a value by the response's type, with what a registry holds.
public struct AutomaticResponseSerializer: ResponseSerializer {
  /// Looked at before the registered serializer's own.
  public var validation = ResponseValidation()
  /// What it asks.
  public var registry: SerializerRegistry
  /// Whether the first bytes may decide where the type does not.
  public var sniffs: Bool

  /// Makes a serializer.
  public init(_ registry: SerializerRegistry, sniffs: Bool = false) {
    self.registry = registry
    self.sniffs = sniffs
  }

  /// The registered serializer's value.
  ///
  /// - Throws: As `SerializerRegistry.output`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> any Sendable {
    try registry.output(of: head, body, sniffs: sniffs)
  }
}
