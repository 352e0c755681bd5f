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
          + "cannot be decoded from that; make it optional if the format has a null, or ask for the bytes."
        : "The body could not be decoded as \(Output.self): \(Self.reason(error))"
      throw NetworkError(.serializationFailed, stage: .decoding, message: message, underlying: error)
        .keeping(head, body)
    }
  }

  /// Returns a sentence with the path of the value, such as `birds[3].name`, and the reason; for any error that is not about decoding, its
  /// description.
  private static func reason(_ error: any Error) -> String {
    var text = "\(error)"
    switch error as? DecodingError {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      var path = ""
      for key in context.codingPath {
        if let index = key.intValue {
          path += "[\(index)]"
        } else {
          path += (path.isEmpty ? "" : ".") + key.stringValue
        }
      }
      text = (path.isEmpty ? "" : "`\(path)`: ") + context.debugDescription
    default: break
    }
    return text.hasSuffix(".") ? text : text + "."
  }
}
