public import CurlewCore
public import FoundationEssentials

/// Makes a value of a response's body.
///
/// A value type with its options as stored properties; swapping one never touches a request in flight. Called from any
/// isolation, by many tasks at once. A format adds its own by extension, so that it appears with the import:
///
/// ```swift
/// struct CSVSerializer: ResponseSerializer {
///   var validation = ResponseValidation(mediaTypes: [.csv])
///   func serialize(_ head: ResponseHead?, _ body: Data) throws -> [[String]] { try CSV.parse(body) }
/// }
/// extension ResponseSerializer where Self == CSVSerializer { static var csv: CSVSerializer { CSVSerializer() } }
/// ```
public protocol ResponseSerializer<Output>: Sendable {
  /// What it makes.
  associatedtype Output: Sendable
  /// Which responses it takes.
  var validation: ResponseValidation { get }
  /// Makes the value of a response that was found valid.
  ///
  /// - Parameters:
  ///   - head: nil when the bytes did not come with one.
  ///   - body: The whole body, not longer than `validation.maximumBytes`.
  /// - Throws: Any error; `output(of:_:)` wraps it.
  func serialize(_ head: ResponseHead?, _ body: Data) throws -> Output
}

extension ResponseSerializer {
  /// Validates a response, then makes its value.
  ///
  /// - Throws: `NetworkError`: what `ResponseValidation.check` finds, or `serializationFailed` with the cause. It keeps
  ///   head and body.
  public func output(of head: ResponseHead?, _ body: Data) throws(NetworkError) -> Output {
    if let refusal = validation.check(head, body) { throw refusal }
    return try value(of: head, body)
  }

  /// Makes the value of a response that was found valid, with errors that say where they come from.
  func value(of head: ResponseHead?, _ body: Data) throws(NetworkError) -> Output {
    do {
      return try serialize(head, body)
    } catch let error as NetworkError {
      throw error
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .decoding, message: "The body could not be made a value: \(error).",
        underlying: error
      ).keeping(head, body)
    }
  }
}
