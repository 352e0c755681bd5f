public import CurlewCore

/// Puts parameters into a request: into its URL or its body.
///
/// A value type with its options as stored properties. Called from any isolation, by many tasks at once, and for each
/// attempt anew, so that it changes nothing but what it returns.
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
  /// Makes a request with parameters of one without.
  ///
  /// - Parameter parameters: nil when there are none, which is not the same as an empty object.
  /// - Throws: Any error; `request(_:_:)` wraps it.
  func serialize(_ request: Request, _ parameters: Parameters?) throws -> Request

  /// Makes a request with any encodable value; unless a format does better, by way of `Parameters`.
  ///
  /// - Throws: Any error; `request(_:encoding:)` wraps it.
  func serialize(_ request: Request, encoding value: some Encodable) throws -> Request
}

extension RequestSerializer {
  /// Makes parameters of the value first.
  ///
  /// - Throws: What `Parameters.init(encoding:)` and the serializer throw.
  public func serialize(_ request: Request, encoding value: some Encodable) throws -> Request {
    try serialize(request, try Parameters(encoding: value))
  }

  /// Makes a request with parameters of one without.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`, at stage `preparing`, with the cause; or the serializer's own
  ///   `NetworkError`.
  public func request(_ request: Request, _ parameters: Parameters? = nil) throws(NetworkError) -> Request {
    try wrapping(request) { try serialize(request, parameters) }
  }

  /// Makes a request with any encodable value.
  ///
  /// - Throws: As `request(_:_:)`; also when the value cannot be encoded.
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
        .serializationFailed, stage: .preparing, message: "The parameters cannot be written: \(error).",
        underlying: error
      ).with { $0.request = request }
    }
  }
}
