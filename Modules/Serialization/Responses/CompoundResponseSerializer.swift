public import CurlewCore
public import FoundationEssentials

/// Tries several serializers in order; the first that accepts the response decides.
///
/// The members can be of any types with the same output. A member accepts a response when its own validation passes; its value
/// or error is then the result. If no member accepts the response, the error is that of the first member that accepts its
/// media type and rejects, for example, its status; if there is no such member, the last member's error.
public struct CompoundResponseSerializer<Output: Sendable>: ResponseSerializer {
  /// The members in order.
  public let members: [any ResponseSerializer<Output>]

  /// Checks only the size; the members check the rest.
  public var validation: ResponseValidation {
    ResponseValidation(
      statuses: nil, mediaTypes: nil, maximumBytes: members.map(\.validation.maximumBytes).max() ?? 0)
  }

  /// Creates a serializer from its members.
  public init(_ members: [any ResponseSerializer<Output>]) { self.members = members }

  /// Returns the value of the first member that accepts the response.
  ///
  /// - Throws: The error of that member; if no member accepts the response, the rejection; `serializationFailed` if there are
  ///   no members.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output {
    var refusal: NetworkError?
    for member in members {
      if let error = member.validation.check(head, body) {
        if refusal.map(\.refusesType) ?? true { refusal = error }
        continue
      }
      return try member.output(of: head, body)
    }
    throw refusal
      ?? NetworkError(
        .serializationFailed, stage: .decoding, message: "The compound serializer has no members; give it at least one."
      )
      .keeping(head, body)
  }
}

extension NetworkError {
  /// Whether the media type is rejected, also as the cause of a rejected status.
  var refusesType: Bool {
    kind == .unacceptableContentType
      || (details.underlying as? NetworkError)?.kind == .unacceptableContentType
  }
}
