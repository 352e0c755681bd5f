public import CurlewCore
public import FoundationEssentials

/// Transforms the value of another serializer.
public struct MappedResponseSerializer<Inner: ResponseSerializer, Output: Sendable>: ResponseSerializer {
  private let inner: Inner
  private let transform: @Sendable (Inner.Output) throws -> Output
  /// The inner serializer's validation.
  public var validation: ResponseValidation

  init(_ inner: Inner, _ transform: @escaping @Sendable (Inner.Output) throws -> Output) {
    self.inner = inner
    self.transform = transform
    validation = inner.validation
  }

  /// Returns the transformed value.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output {
    try transform(try inner.serialize(head, body))
  }
}

extension ResponseSerializer {
  /// Returns a serializer that transforms the value of this one.
  public func map<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> MappedResponseSerializer<Self, NewOutput> {
    MappedResponseSerializer(self, transform)
  }

  /// This serializer with its output type erased.
  ///
  /// Use it to keep serializers of different outputs in one list.
  public var erased: any ResponseSerializer<any Sendable> { map { value -> any Sendable in value } }
}
