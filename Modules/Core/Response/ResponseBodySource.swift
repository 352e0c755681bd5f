public import FoundationEssentials
public import HTTPTypes

/// Produces the bytes of a `ResponseBody` on demand.
///
/// Interceptors use it to read stored content, or to change a body with `ResponseBody.wrapped`. A transport uses a
/// `BodyChannel` instead, and code that only observes bytes uses a `BodyTap`. `next` is called by one task at a time, and not
/// again after the end or an error. `cancel` may be called at any time, from any isolation, more than once.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// Returns the next bytes; nil at the end, for which it may also suspend.
  ///
  /// - Throws: `NetworkError`, or `CancellationError` once cancelled.
  nonisolated(nonsending) func next() async throws -> Data?

  /// Cancels the rest of the body and releases its resources.
  ///
  /// Afterwards `next` throws. If it returned nil, an incomplete body would look complete.
  func cancel()

  /// Rejects the content, because the bytes turned out to be wrong.
  ///
  /// It cancels the rest and lets caches discard their copies. A source calls it, even after the end, when it interprets the
  /// bytes and finds a fault: content that is complete on the wire may be truncated inside its coding, and a cache must not
  /// store it. A source that changes the bytes of another forwards the call.
  func reject() async

  /// The trailer fields, once the end has been reached.
  var trailers: HTTPFields? { get }
}

extension ResponseBodySource {
  /// Cancels the rest of the body, for a source that stores no copy.
  public func reject() async { cancel() }
}
