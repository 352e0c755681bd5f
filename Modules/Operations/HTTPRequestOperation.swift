public import CurlewCore
import CurlewDownload
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
import Foundation

/// An HTTP request as an `Operation`, with a serializer that makes its value.
///
/// The head of the response is checked before a byte of the body is kept: a status or a media type that the serializer does
/// not accept is a failure, whose error has the start of the body (`NetworkError.refusedValue(_:)`). The value is made off the
/// main thread and before `isFinished` reads true. Exactly one of the success and the failure block is called.
///
/// ```swift
/// let operation = HTTPRequestOperation(try Request(.get, "https://example.com/birds"), over: loader, .json([Bird].self))
/// operation.setCompletionBlock(
///   success: { operation, birds in show(birds) }, failure: { operation, error in show(error) })
/// queue.addOperation(operation)
/// ```
///
/// **Pause and resume.** A `GET` keeps the bytes that came. Resumed, it asks for the rest with `Range` and `If-Range`, and the
/// bytes are joined only where the response proves that they belong together (`ResumePlan`); otherwise the body begins anew.
/// That needs a strong validator and a body that is not compressed; a `GET` with a `Range` of its own begins anew. Other
/// methods that can be repeated begin anew, and requests that cannot, such as a `POST`, keep their connection while they are
/// paused. The operation's `request` stays as it was given in each case.
// Safe because its one property is guarded, as is the state of its superclass.
open class HTTPRequestOperation: URLConnectionOperation, @unchecked Sendable {
  private struct Serializing: Sendable {
    var serializer: any ResponseSerializer
    var name: ComponentName<any ResponseSerializer>?
  }

  private let serializing: Guarded<Serializing>

  /// Creates an operation that waits for its queue, or for `start`.
  ///
  /// - Parameter serializer: Checks the response and makes the value.
  public init(_ request: Request, over loader: Loader, _ serializer: some ResponseSerializer) {
    serializing = Guarded(Serializing(serializer: serializer))
    super.init(request, over: loader)
  }

  /// Creates an operation whose value is the body of a successful response.
  public override convenience init(_ request: Request, over loader: Loader) { self.init(request, over: loader, .data) }

  /// Checks the response and makes the value; read when the operation starts.
  public var responseSerializer: any ResponseSerializer {
    get { serializing.withLock { $0.serializer } }
    set { serializing.withLock { $0.serializer = newValue } }
  }

  /// The name under which an `OperationArchive` refers to the serializer; nil looks for the serializer among the names.
  public var serializerName: ComponentName<any ResponseSerializer>? {
    get { serializing.withLock { $0.name } }
    set { serializing.withLock { $0.name = newValue } }
  }

  /// The value; nil before the end and after a failure.
  public var responseObject: (any Sendable)? {
    guard case .success(let result) = state.withLock({ $0.outcome }) else { return nil }
    return result.value
  }

  /// The value as a type.
  ///
  /// - Returns: Nil before the end.
  /// - Throws: `error`; `NetworkError` of kind `serializationFailed` for a value of another type.
  public func responseObject<Value>(as type: Value.Type) throws -> Value? {
    guard let outcome = state.withLock({ $0.outcome }) else { return nil }
    return try OperationResult.cast(try outcome.get().value, to: type)
  }

  /// The error of the serializer: a response that it refused, or a body that it could not decode. `error` is the same then.
  public var responseSerializationError: (any Error)? {
    state.withLock { state in
      guard case .failure = state.outcome else { return nil }
      return state.serializationError
    }
  }

  /// Sets the blocks of which exactly one is called at the end, on `completionQueue`, before `completionBlock`.
  ///
  /// - Parameters:
  ///   - success: Gets the operation and its value.
  ///   - failure: Gets the operation and its `error`, which is a `CancellationError` when it was cancelled.
  public func setCompletionBlock(
    success: (@Sendable (HTTPRequestOperation, any Sendable) -> Void)?,
    failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
  ) {
    let success = success.map(Self.narrowed)
    let failure = failure.map(Self.narrowed)
    change { setup in
      setup.success = success
      setup.failure = failure
    }
  }

  /// A block for the operations of this class as one for all of them.
  private static func narrowed<Argument>(
    _ block: @escaping @Sendable (HTTPRequestOperation, Argument) -> Void
  ) -> @Sendable (URLConnectionOperation, Argument) -> Void {
    { operation, argument in if let operation = operation as? HTTPRequestOperation { block(operation, argument) } }
  }

  /// A new operation for the same request and with the same serializer.
  open override func copied() -> HTTPRequestOperation {
    let copy = HTTPRequestOperation(request, over: loader)
    copy.responseSerializer = responseSerializer
    copy.serializerName = serializerName
    copySettings(to: copy)
    return copy
  }

  override class var hasOwnSteps: Bool { self != HTTPRequestOperation.self }

  override func configuration(
    _ link: OperationLink, _ settings: ExchangeSettings?
  ) throws
    -> Transfer<OperationResult>.Configuration
  {
    let (request, custom) = state.withLock { ($0.request, $0.setup.sink) }
    return makeConfiguration(link, settings, request, custom, responseSerializer)
  }

  private func makeConfiguration<Serializer: ResponseSerializer>(
    _ link: OperationLink, _ settings: ExchangeSettings?, _ request: Request, _ custom: (any TransferSink)?,
    _ serializer: Serializer
  ) -> Transfer<OperationResult>.Configuration {
    let noting = SerializationNotes { error in link.operation?.note(error) }
    let sink = CheckedSink(serializer.validation, request, custom: custom, noting)
    var configuration = Transfer<OperationResult>.Configuration(
      request, to: stepped(sink, link), settings: settings
    ) { result in
      try noting.run {
        // A 206 or 416 of a resumption says nothing of the whole; the head that began it does.
        let head = sink.head ?? result.head
        let value = try serializer.output(of: head, result.content.data ?? Data())
        return OperationResult(head: result.head, content: result.content, value: value)
      }
    }
    let make = configuration.request
    configuration.request = { attempt in try await sink.prepare(try await make(attempt), attempt) }
    configuration.shouldRetry = { attempt, _ in RangeRestart.isAsked(by: attempt.error) ? .restart : .byPolicy }
    configuration.pausing = .release(after: .zero)
    return configuration
  }
}

extension URLConnectionOperation {
  /// Notes an error of the serializer; nil forgets that of an earlier attempt.
  fileprivate func note(_ error: (any Error)?) { state.withLock { $0.serializationError = error } }
}
