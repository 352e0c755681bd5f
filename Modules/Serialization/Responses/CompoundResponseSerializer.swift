public import CurlewCore
public import FoundationEssentials

/// Tries several serializers in order; the first that takes the response decides.
///
/// Members of any type can be mixed as long as they make the same output. A member takes a response when its own
/// validation passes; then its value or its error is the result. When none takes it, the error is the refusal of the first
/// member that has nothing against its type, such as a bad status, else the last member's.
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
  /// - Throws: That member's error, or the refusal; `serializationFailed` without members.
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
      ?? NetworkError(.serializationFailed, stage: .decoding, message: "There is no serializer to make a value.")
      .keeping(head, body)
  }
}

extension NetworkError {
  /// Whether the media type is refused, by itself or below a refused status.
  var refusesType: Bool {
    kind == .unacceptableContentType
      || (details.underlying as? NetworkError)?.kind == .unacceptableContentType
  }
}
