public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
import FoundationEssentials

extension Loader {
  /// Loads a request and decodes its response, without the overhead of a `Transfer`.
  ///
  /// If the serializer's validation refuses the head, the call fails before the body is read. The error contains the start of
  /// the body, which `NetworkError.refusedValue(_:)` decodes.
  ///
  /// - Parameter exchange: The context of this request; nil creates one with the loader's settings.
  /// - Throws: The errors of `load`; `bodyTooLarge` beyond the validation's `maximumBytes`; the errors of
  ///   `ResponseSerializer.output`.
  public func value<Serializer: ResponseSerializer>(
    for request: Request, decoding serializer: Serializer, in exchange: Exchange? = nil
  ) async throws -> (Serializer.Output, ResponseHead) {
    var request = request
    request.options.delivery = request.options.delivery ?? .collected
    let response = try await start(request, in: exchange)
    do {
      if let refusal = serializer.validation.check(response.head) {
        throw await refusal.withStart(of: response.body, upTo: TransferValidation.errorBodyLimit)
      }
      let limit = serializer.validation.maximumBytes
      let body = try await response.body.gather(upTo: limit, expecting: response.head.expectedLength)
      if let refusal = serializer.validation.check(passed: response.head, body) { throw refusal }
      return (try serializer.value(of: response.head, body), response.head)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
  }
}

extension Transfer.Configuration {
  /// Creates a configuration whose value a response serializer decodes.
  ///
  /// If the serializer's validation refuses a head, the attempt fails before any of the body is stored. The error contains the
  /// start of the body, which `NetworkError.refusedValue(_:)` decodes.
  ///
  /// - Parameters:
  ///   - request: Returns the request; called once for each attempt.
  ///   - sink: The destination of the body; nil collects it in memory, up to the validation's `maximumBytes`. If the content
  ///     of the sink is not `.data`, the serializer receives no bytes.
  public init(
    request: @escaping @Sendable (AttemptContext) async throws -> Request, to sink: (any TransferSink)? = nil,
    decoding serializer: some ResponseSerializer<Value>
  ) {
    self.init(
      request: request, to: sink ?? MemorySink(limit: serializer.validation.maximumBytes), decode: serializer.decode)
    validate = serializer.checkHead
  }

  /// Creates a configuration for one request, decoded by a response serializer.
  ///
  /// Each attempt sends the same request. For a body that can only be sent once, `ExchangeHooks.newBody` is asked for another.
  ///
  /// - Parameters:
  ///   - sink: As for the other initializer.
  ///   - settings: The settings of the exchange; nil uses the loader's.
  public init(
    _ request: Request, to sink: (any TransferSink)? = nil, decoding serializer: some ResponseSerializer<Value>,
    settings: ExchangeSettings? = nil
  ) {
    self.init(
      request, to: sink ?? MemorySink(limit: serializer.validation.maximumBytes), settings: settings,
      decode: serializer.decode)
    validate = serializer.checkHead
  }
}

extension Transfer {
  /// Creates a transfer that decodes its value and waits for `start`.
  ///
  /// - Parameter settings: The settings of the exchange; nil uses the loader's.
  public convenience init(
    _ loader: Loader, _ request: Request, decoding serializer: some ResponseSerializer<Value>,
    settings: ExchangeSettings? = nil
  ) {
    self.init(loader, Configuration(request, decoding: serializer, settings: settings))
  }
}

extension ResponseSerializer {
  /// Checks a head with the serializer's validation, and throws to refuse it.
  @Sendable fileprivate func checkHead(_ head: ResponseHead, _ request: Request) throws {
    if let refusal = validation.check(head) { throw refusal }
  }

  /// Decodes the value of a complete response.
  @Sendable fileprivate func decode(_ result: TransferResult) throws -> Output {
    try output(of: result.head, result.content.data ?? Data())
  }
}
