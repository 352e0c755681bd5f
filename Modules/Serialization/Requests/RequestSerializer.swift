public import CurlewCore

/// Puts parameters into a request: into its URL or its body.
///
/// It is a value type with its options as stored properties. It is called from any isolation, by many tasks at once,
/// and for each attempt, so it must not change anything except its result.
///
/// ```swift
/// struct CSVRequestSerializer: RequestSerializer {
///   var defaults = RequestDefaults()
///   func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request {
///     try defaults.encode(request, parameters, as: .csv) { parameters in try CSV.data(parameters) }
///   }
/// }
/// ```
public protocol RequestSerializer: Sendable {
  /// The default fields and options of its requests; none by default.
  ///
  /// Forms and uploads of the same session get them, too.
  var defaults: RequestDefaults { get }

  /// Returns a request with parameters.
  ///
  /// - Parameter parameters: The parameters; nil sends none, whereas an empty object is still encoded.
  /// - Throws: Any error; `request(_:_:)` wraps it.
  func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request

  /// Returns a request with any encodable value.
  ///
  /// By default the value is first converted to `Parameters`.
  ///
  /// - Throws: Any error; `request(_:encoding:)` wraps it.
  func serialize(_ request: Request, encoding value: some Encodable) throws -> Request
}

extension RequestSerializer {
  /// Defaults that set nothing.
  public var defaults: RequestDefaults { RequestDefaults() }

  /// Converts the value to parameters, and serializes those.
  ///
  /// - Throws: The errors of `Parameters.init(encoding:)` and of the serializer.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try serialize(request, try Parameters(encoding: value))
  }

  /// Returns a request with parameters, and wraps errors.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`, at stage `preparing`, with the cause; or the serializer's
  ///   own `NetworkError`.
  public func request(_ request: Request, _ parameters: Parameters? = nil) throws(NetworkError) -> Request {
    try wrapping(request) { try serialize(request, parameters) }
  }

  /// Returns a request with any encodable value, and wraps errors.
  ///
  /// - Throws: The same errors as `request(_:_:)`, also when the value cannot be encoded.
  public func request(_ request: Request, encoding value: some Encodable) throws(NetworkError) -> Request {
    try wrapping(request) { try serialize(request, encoding: value) }
  }

  private func wrapping(_ request: Request, _ make: () throws -> Request) throws(NetworkError) -> Request {
    do {
      return try make()
    } catch let error as NetworkError {
      throw error
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .preparing, message: "The parameters cannot be encoded: \(error).",
        underlying: error
      ).with { $0.request = request }
    }
  }
}
