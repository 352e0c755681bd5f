public import CurlewCore
public import CurlewLoading
public import CurlewSerialization
import FoundationEssentials

extension Transfer.Configuration {
  /// Creates a configuration whose value is made by a response serializer.
  ///
  /// A head that the serializer's validation refuses fails the attempt before a byte of the body is kept; its error has the
  /// start of the body, which `NetworkError.refusedValue(_:)` reads.
  ///
  /// - Parameters:
  ///   - request: Called once for each attempt.
  ///   - sink: Where the body goes; nil collects it in memory, up to the validation's `maximumBytes`. The serializer gets
  ///     no bytes from a sink whose content is not `.data`.
  public init(
    request: @escaping @Sendable (AttemptContext) async throws -> Request, to sink: (any TransferSink)? = nil,
    decoding serializer: some ResponseSerializer<Value>
  ) {
    self.init(
      request: request, to: sink ?? MemorySink(limit: serializer.validation.maximumBytes), decode: serializer.decode)
    validate = serializer.checkHead
  }

  /// Creates a configuration that asks the same in each attempt and whose value is made by a response serializer.
  ///
  /// A body that can be sent once is asked for again by `ExchangeHooks.newBody`.
  ///
  /// - Parameters:
  ///   - sink: As above.
  ///   - settings: What the exchange may use; nil takes the loader's.
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
  /// Creates a transfer whose value is made by a response serializer; it waits for `start`.
  ///
  /// - Parameter settings: What the exchange may use; nil takes the loader's.
  public convenience init(
    _ loader: Loader, _ request: Request, decoding serializer: some ResponseSerializer<Value>,
    settings: ExchangeSettings? = nil
  ) {
    self.init(loader, Configuration(request, decoding: serializer, settings: settings ?? loader.settings))
  }
}

extension ResponseSerializer {
  /// Refuses a head, as `Transfer.Configuration.validate` wants it.
  @Sendable fileprivate func checkHead(_ head: ResponseHead, _ request: Request) throws {
    if let refusal = validation.check(head) { throw refusal }
  }

  /// Makes the value of a complete response.
  @Sendable fileprivate func decode(_ result: TransferResult) throws -> Output {
    try output(of: result.head, result.content.data ?? Data())
  }
}
