public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
import FoundationEssentials

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
    self.init(loader, Configuration(request, decoding: serializer, settings: settings ?? loader.settings))
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
