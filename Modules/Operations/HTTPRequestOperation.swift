public import CurlewCore
import CurlewDownload
public import CurlewLoading
public import CurlewRequests
public import CurlewSerialization
import Foundation

/// An HTTP request as an `Operation`, with a serializer for its value.
///
/// The head of the response is checked before any of the body is stored: a status or media type that the serializer does not
/// accept is a failure, whose error contains the start of the body (`NetworkError.refusedValue(_:)`). The value is decoded off
/// the main thread, before `isFinished` becomes true. Exactly one of the success and the failure block is called.
///
/// ```swift
/// let operation = HTTPRequestOperation(try Request(.get, "https://example.com/birds"), over: loader, .json([Bird].self))
/// operation.setCompletionBlock(
///   success: { operation, birds in show(birds) }, failure: { operation, error in show(error) })
/// queue.addOperation(operation)
/// ```
///
/// **Pause and resume.** A `GET` keeps the bytes that it has received. After `resume` it requests the rest with `Range` and
/// `If-Range`, and combines the bytes only if the response proves that they belong together (`ResumePlan`); otherwise the body
/// starts over. This requires a strong validator and an uncompressed body; a `GET` with its own `Range` starts over. Other
/// methods that can be repeated start over as well. Requests that cannot be repeated, such as a `POST`, keep their connection
/// while they are paused. The operation's `request` never changes.
// Safe because its one property is guarded, as is the state of its superclass.
open class HTTPRequestOperation: URLConnectionOperation, @unchecked Sendable {
  private struct Serializing: Sendable {
    var serializer: any ResponseSerializer
    var name: ComponentName<any ResponseSerializer>?
  }

  private let serializing: Guarded<Serializing>

  /// Creates an operation that waits for its queue, or for `start`.
  ///
  /// - Parameter serializer: The serializer that checks the response and decodes the value.
  public init(_ request: Request, over loader: Loader, _ serializer: some ResponseSerializer) {
    serializing = Guarded(Serializing(serializer: serializer))
    super.init(request, over: loader)
  }

  /// Creates an operation whose value is the body of a successful response.
  public override convenience init(_ request: Request, over loader: Loader) { self.init(request, over: loader, .data) }

  /// The serializer that checks the response and decodes the value.
  ///
  /// It is read when the operation starts.
  public var responseSerializer: any ResponseSerializer {
    get { serializing.withLock { $0.serializer } }
    set { serializing.withLock { $0.serializer = newValue } }
  }

  /// The name under which an `OperationArchive` refers to the serializer.
  ///
  /// Nil looks up the serializer itself among the names.
  public var serializerName: ComponentName<any ResponseSerializer>? {
    get { serializing.withLock { $0.name } }
    set { serializing.withLock { $0.name = newValue } }
  }

  /// The decoded value; nil before the end and after a failure.
  public var responseObject: (any Sendable)? {
    guard case .success(let result) = state.withLock({ $0.outcome }) else { return nil }
    return result.value
  }

  /// Returns the decoded value as a type; nil before the end.
  ///
  /// - Throws: `error`; `NetworkError` of kind `serializationFailed` for a value of another type.
  public func responseObject<Value>(as type: Value.Type) throws -> Value? {
    guard let outcome = state.withLock({ $0.outcome }) else { return nil }
    return try OperationResult.cast(try outcome.get().value, to: type)
  }

  /// The error of the serializer; nil if it did not fail.
  ///
  /// The serializer refused the response, or could not decode its body. `error` is then the same error.
  public var responseSerializationError: (any Error)? {
    state.withLock { state in
      guard case .failure = state.outcome else { return nil }
      return state.serializationError
    }
  }

  /// Sets the completion blocks, of which exactly one is called.
  ///
  /// It is called on `completionQueue`, before `completionBlock`.
  ///
  /// - Parameters:
  ///   - success: Receives the operation and its value.
  ///   - failure: Receives the operation and its `error`, which is a `CancellationError` if it was cancelled.
  public func setCompletionBlock(
    success: (@Sendable (HTTPRequestOperation, any Sendable) -> Void)?,
    failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
  ) {
    // Written out, because one generic conversion for both blocks costs three more allocations for each operation.
    var tellsSuccess: (@Sendable (URLConnectionOperation, any Sendable) -> Void)?
    var tellsFailure: (@Sendable (URLConnectionOperation, any Error) -> Void)?
    if let success { tellsSuccess = { if let operation = $0 as? HTTPRequestOperation { success(operation, $1) } } }
    if let failure { tellsFailure = { if let operation = $0 as? HTTPRequestOperation { failure(operation, $1) } } }
    change { setup in
      setup.success = tellsSuccess
      setup.failure = tellsFailure
    }
  }

  /// Returns a new operation with the same request and serializer.
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
    let validation = serializer.validation
    let sink = CheckedSink(limit: validation.maximumBytes, custom: custom) { head, isRest in
      try noting.check(head, validation, isRest: isRest)
    }
    var configuration = Transfer<OperationResult>.Configuration(
      request, to: stepped(sink, link), settings: settings
    ) { result in
      try noting.run {
        // The 206 or 416 of a resumption does not describe the whole body; the head that began the body does.
        let head = sink.head ?? result.head
        let value = try serializer.output(of: head, result.content.data ?? Data())
        return OperationResult(head: result.head, content: result.content, value: value)
      }
    }
    configuration.pausing = .release(after: .zero)
    return configuration
  }
}

extension URLConnectionOperation {
  /// Records an error of the serializer; nil clears that of an earlier attempt.
  fileprivate func note(_ error: (any Error)?) { state.withLock { $0.serializationError = error } }
}

/// Distinguishes errors of a serializer from those of the transport.
struct SerializationNotes: Sendable {
  let note: @Sendable ((any Error)?) -> Void

  init(_ note: @escaping @Sendable ((any Error)?) -> Void) { self.note = note }

  /// Runs work of the serializer and records its error.
  func run<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      note(error)
      throw error
    }
  }

  /// Checks the head of an attempt, and forgets the error of an earlier one.
  ///
  /// - Parameter isRest: Whether the response contains the rest of a body, which is not checked.
  func check(_ head: ResponseHead, _ validation: ResponseValidation, isRest: Bool) throws {
    note(nil)
    guard !isRest else { return }
    try run { if let refusal = validation.check(head) { throw refusal } }
  }
}
