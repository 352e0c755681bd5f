public import CurlewCore
public import FoundationEssentials

/// Makes another value of what a serializer made.
public struct MappedResponseSerializer<Inner: ResponseSerializer, Output: Sendable>: ResponseSerializer {
  private let inner: Inner
  private let transform: @Sendable (Inner.Output) throws -> Output
  /// The inner serializer's.
  public var validation: ResponseValidation

  init(_ inner: Inner, _ transform: @escaping @Sendable (Inner.Output) throws -> Output) {
    self.inner = inner
    self.transform = transform
    validation = inner.validation
  }

  /// The transformed value.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output {
    try transform(try inner.serialize(head, body))
  }
}

extension ResponseSerializer {
  /// A serializer that goes on with what this one makes.
  public func map<NewOutput: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> NewOutput
  ) -> MappedResponseSerializer<Self, NewOutput> {
    MappedResponseSerializer(self, transform)
  }
}
