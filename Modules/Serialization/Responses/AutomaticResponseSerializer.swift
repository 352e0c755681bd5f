public import CurlewCore
public import FoundationEssentials

/// Selects a registered serializer by the response's type.
public struct AutomaticResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; the selected serializer's own rules follow.
  public var validation = ResponseValidation()
  /// The registry that is searched.
  public var registry: SerializerRegistry
  /// Whether the first bytes select the serializer if the type does not.
  public var sniffs: Bool

  /// Creates a serializer.
  public init(_ registry: SerializerRegistry, sniffs: Bool = false) {
    self.registry = registry
    self.sniffs = sniffs
  }

  /// Returns the registered serializer's value.
  ///
  /// - Throws: The same errors as `SerializerRegistry.output`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> any Sendable {
    try registry.output(of: head, body, sniffs: sniffs)
  }
}
