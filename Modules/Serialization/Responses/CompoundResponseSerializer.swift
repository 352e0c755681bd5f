public import CurlewCore
public import FoundationEssentials

/// Tries several serializers in order; the first that takes the response decides.
///
/// Members of any type can be mixed as long as they make the same output. A member takes a response when its own
/// validation passes; then its value or its error is the result. When none takes it, the error is the last member's
/// refusal, so put the most general one last.
public struct CompoundResponseSerializer<Output: Sendable>: ResponseSerializer {
  /// The members, in the order they are asked.
  public let members: [any ResponseSerializer<Output>]

  /// Looks only at size; the rest is the members' matter.
  public var validation: ResponseValidation {
    ResponseValidation(
      statuses: nil, mediaTypes: nil, maximumBytes: members.map(\.validation.maximumBytes).max() ?? 0)
  }

  /// Makes a serializer of members.
  public init(_ members: [any ResponseSerializer<Output>]) { self.members = members }

  /// The value of the first member that takes the response.
  ///
  /// - Throws: That member's error, or the last refusal; `serializationFailed` without members.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output {
    var refusal: NetworkError?
    for member in members {
      if let error = member.validation.check(head, body) {
        refusal = error
        continue
      }
      return try member.output(of: head, body)
    }
    throw refusal
      ?? NetworkError(.serializationFailed, stage: .decoding, message: "There is no serializer to make a value.")
  }
}

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
