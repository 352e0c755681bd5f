public import CurlewCore
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import FoundationEssentials
public import HTTPTypes

/// The parameters of one call of a session.
struct Call: Sendable {
  var method: HTTPRequest.Method
  var path: String
  var parameters: Parameters?
  var content = RequestContent.none
  var headerFields: HTTPFields
  var options: RequestOptions

  init(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters?, _ content: RequestContent = .none,
    _ headerFields: HTTPFields, _ options: RequestOptions
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.content = content
    self.headerFields = headerFields
    self.options = options
  }

  /// Returns this call with a field, unless the call already sets it.
  func asking(_ name: HTTPField.Name, _ value: String) -> Call {
    guard !headerFields.has(name) else { return self }
    var call = self
    call.headerFields.append(HTTPField(name: name, value: value))
    return call
  }
}

extension Call: CustomReflectable {
  /// The call without the secrets of its path and its fields, and without its parameters.
  var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method.rawValue, "path": Redaction.standard.redacted(reference: path),
        "headerFields": Redaction.lines(of: headerFields), "options": options,
      ])
  }
}

/// A complete response: its value, its head and its measurements.
public struct DecodedResponse<Value: Sendable>: Sendable {
  /// The value that was decoded from the body.
  public var value: Value
  /// The final head.
  public var head: ResponseHead
  /// The measurements, one for each attempt and hop that was sent.
  public var metrics: [ExchangeMetrics]
  /// The status of the head.
  public var status: HTTPResponse.Status { head.status }
  /// The header fields of the head.
  public var headerFields: HTTPFields { head.headerFields }

  /// Creates a response, for tests of code that receives one.
  public init(value: Value, head: ResponseHead, metrics: [ExchangeMetrics] = []) {
    self.value = value
    self.head = head
    self.metrics = metrics
  }
}

extension HTTPSession {
  /// Sends a call and returns its value.
  ///
  /// The loader sends it directly, or a transfer if the session has a retry policy.
  func value<Serializer: ResponseSerializer>(
    of call: Call, _ serializer: Serializer
  ) async throws -> Serializer.Output {
    do {
      let request = try core.request(call)
      let loader = try core.loader()
      guard let retry = core.configuration.retry else {
        return try await loader.value(for: request, decoding: serializer).0
      }
      return try await transfer(request, serializer, loader, retry).run()
    } catch {
      throw core.reported(error, path: call.path)
    }
  }

  /// Sends a call and returns its value with the head and the measurements.
  func response<Serializer: ResponseSerializer>(
    to call: Call, _ serializer: Serializer
  ) async throws -> DecodedResponse<Serializer.Output> {
    do {
      return try await response(of: core.request(call), serializer, core.loader().settings)
    } catch {
      throw core.reported(error, path: call.path)
    }
  }

  /// Sends a request with its own settings, and returns its value with the head and the measurements.
  func response<Serializer: ResponseSerializer>(
    of request: Request, _ serializer: Serializer, _ settings: ExchangeSettings
  ) async throws -> DecodedResponse<Serializer.Output> {
    let loader = try core.loader()
    if let retry = core.configuration.retry {
      let transfer = transfer(request, serializer, loader, retry, settings)
      let value = try await transfer.run()
      guard let head = transfer.response else { throw NetworkError.noHead }
      return DecodedResponse(value: value, head: head, metrics: transfer.metrics)
    }
    let exchange = Exchange(settings)
    let (value, head) = try await loader.value(for: request, decoding: serializer, in: exchange)
    return DecodedResponse(value: value, head: head, metrics: exchange.metrics)
  }

  /// Returns the serializer for a type, and the call with its `Accept` field.
  ///
  /// An `Accept` of the session stays. `Data` is the bytes of any body, for which no format is asked.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` without a format.
  func decoding<Value: Decodable & Sendable>(
    _ type: Value.Type, _ call: Call
  ) throws(NetworkError) -> (Call, CodingResponseSerializer<Value>) {
    guard type != Data.self else { return (call, CodingResponseSerializer(type, by: FormatRegistry())) }
    guard !core.configuration.formats.isEmpty else { throw NetworkError.noFormats(.preparing) }
    let asking = core.accept.map { call.asking(.accept, $0) } ?? call
    return (asking, CodingResponseSerializer(type, by: core.configuration.formats))
  }

  /// Sends a call and returns its value, decoded in the session's formats.
  func decoded<Value: Decodable & Sendable>(_ type: Value.Type, of call: Call) async throws -> Value {
    let (call, serializer) = try decoding(type, call)
    return try await value(of: call, serializer)
  }

  /// Returns a transfer of a request, with a retry policy if there is one.
  ///
  /// - Parameter settings: The settings of its exchange; by default the loader's.
  func transfer<Serializer: ResponseSerializer>(
    _ request: Request, _ serializer: Serializer, _ loader: Loader, _ retry: RetryPolicy?,
    _ settings: ExchangeSettings? = nil
  ) -> Transfer<Serializer.Output> {
    var plan = Transfer<Serializer.Output>.Configuration(
      request, decoding: serializer, settings: settings)
    plan.retry = retry
    return Transfer(loader, plan)
  }
}

extension NetworkError {
  /// A transfer with a value has always received a head.
  fileprivate static let noHead = NetworkError(
    .internal, stage: .decoding, message: "The transfer has a value and no response.")
}
