public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Makes a value from a response's body.
///
/// It is a value type with its options as stored properties; replacing it never affects a request in flight. It is
/// called from any isolation, by many tasks at once. A format adds its serializer by extension, so that it appears with
/// the import:
///
/// ```swift
/// struct CSVSerializer: ResponseSerializer {
///   var validation = ResponseValidation(mediaTypes: [.csv])
///   func serialize(_ head: ResponseHead?, _ body: Data) throws -> [[String]] { try CSV.parse(body) }
/// }
/// extension ResponseSerializer where Self == CSVSerializer { static var csv: CSVSerializer { CSVSerializer() } }
/// ```
public protocol ResponseSerializer<Output>: Sendable {
  /// The type of the values.
  associatedtype Output: Sendable
  /// Which responses are accepted.
  var validation: ResponseValidation { get }
  /// Returns the value of a response that has passed validation.
  ///
  /// - Parameters:
  ///   - head: The head of the response; nil when the bytes do not come from a response.
  ///   - body: The whole body, at most `validation.maximumBytes` long.
  /// - Throws: Any error; `output(of:_:)` wraps it.
  func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output
}

extension ResponseSerializer {
  /// Validates a response and returns its value.
  ///
  /// - Throws: `NetworkError`: the error of `ResponseValidation.check`, or `serializationFailed` with the cause. It
  ///   keeps the head and the body.
  public func output(of head: ResponseHead?, _ body: Data) throws(NetworkError) -> Output {
    if let refusal = validation.check(head, body) { throw refusal }
    return try value(of: head, body)
  }

  /// Returns the value of a valid response, with errors wrapped.
  package func value(of head: ResponseHead?, _ body: Data) throws(NetworkError) -> Output {
    do {
      return try serialize(head, body)
    } catch let error as NetworkError {
      throw error
    } catch {
      let message =
        body.isEmpty
        ? "The response\(head.map { " (\($0.status.code))" } ?? "") has an empty body, and a value of type \(Output.self) "
          + "cannot be decoded from that."
        : "The body could not be decoded as \(Output.self): \(NetworkError.reason(error))"
      let advice =
        body.isEmpty
        ? "Make it optional if the format has a null, or ask for the bytes."
        : Output.self == String.self ? "The body as text is `try await session.get(path, .string)`." : nil
      throw NetworkError(.serializationFailed, stage: .decoding, message: message, advice: advice, underlying: error)
        .keeping(head, body)
    }
  }
}

extension NetworkError {
  /// Returns a sentence with the path of a value that cannot be decoded or encoded, such as `birds[3].name`, and the reason; for any other
  /// error its description.
  package static func reason(_ error: any Error) -> String {
    let context: (path: [any CodingKey], text: String)? =
      switch error {
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
        (context.codingPath, context.debugDescription)
      case EncodingError.invalidValue(_, let context): (context.codingPath, context.debugDescription)
      default: nil
      }
    var path = ""
    for key in context?.path ?? [] {
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
    }
    let text = (path.isEmpty ? "" : "`\(path)`: ") + (context?.text ?? "\(error)")
    return text.hasSuffix(".") ? text : text + "."
  }
}

/// Returns the body unchanged.
public struct DataResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of any type by default.
  public var validation: ResponseValidation

  /// Creates a serializer.
  public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

  /// Returns the body.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> Data { body }
}

extension ResponseSerializer where Self == DataResponseSerializer {
  /// Returns the body of a successful response, unchanged.
  public static var data: DataResponseSerializer { DataResponseSerializer() }

  /// Returns the body of a successful response, unchanged; `.data` takes up to 64 MiB.
  ///
  /// - Parameter limit: The most bytes, 0 or more; a larger body ends in `bodyTooLarge`.
  public static func data(upTo limit: Int) -> DataResponseSerializer {
    DataResponseSerializer(validation: ResponseValidation(maximumBytes: limit))
  }
}

/// Decodes the body as text in the charset of its `Content-Type`.
public struct StringResponseSerializer: ResponseSerializer {
  /// Which responses are accepted; successful ones of any type by default.
  public var validation: ResponseValidation
  /// The charset of a body whose type names none.
  public var fallback: Charset

  /// Creates a serializer.
  public init(validation: ResponseValidation = ResponseValidation(), fallback: Charset = .utf8) {
    self.validation = validation
    self.fallback = fallback
  }

  /// Returns the text.
  ///
  /// - Throws: `CharsetError`.
  public func serialize(_ head: ResponseHead?, _ body: Data) throws -> String {
    try CharsetDecoder.string(body, as: head?.charset ?? fallback)
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// Decodes the body of a successful response as text.
  public static var string: StringResponseSerializer { StringResponseSerializer() }

  /// A text that is received is a `String`.
  @available(*, unavailable, renamed: "string")
  public static var text: StringResponseSerializer { StringResponseSerializer() }
}

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
        .serializationFailed, stage: .decoding, message: "The compound serializer has no members.",
        advice: "Give it at least one."
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
