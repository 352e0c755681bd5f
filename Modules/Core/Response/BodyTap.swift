/// Observes the bytes of a body while they are read, without changing them.
///
/// A tap measures, hashes or stores the bytes, or acts at the end. Add one with `ResponseBody.tapped(by:)`; taps are called in
/// the order in which they were added. `receive` and `ended` are called by one task or thread at a time. `cancelled` may be
/// called at any time, from any isolation, concurrently with the others and more than once.
///
/// ```swift
/// import Synchronization
///
/// final class ByteCount: BodyTap {
///   private let count = Mutex(0)
///   func receive(_ bytes: UnsafeRawBufferPointer) { count.withLock { $0 += bytes.count } }
/// }
/// let counted = response.body.tapped(by: ByteCount())
/// ```
/// All methods have default implementations that do nothing.
public protocol BodyTap: AnyObject, Sendable {
  /// Observes bytes on their way to the reader.
  ///
  /// The bytes are valid only during the call, which may be on the transport's own thread.
  func receive(_ bytes: UnsafeRawBufferPointer)

  /// Observes the end of the body, before the reader learns of it.
  ///
  /// - Parameter error: The error that ended the body; nil when the body is complete.
  /// - Throws: An error for the reader, even if the body is complete. A tap cannot turn a failure into a success.
  func ended(by error: (any Error)?) async throws

  /// Observes that the reader cancelled, or released the body before its end.
  func cancelled()

  /// Discards what the tap stored, because the bytes turned out to be wrong.
  ///
  /// It may be called after the end.
  func rejected() async
}

extension BodyTap {
  /// Ignores the bytes.
  public func receive(_ bytes: UnsafeRawBufferPointer) {}

  /// Leaves the end as it is.
  public func ended(by error: (any Error)?) async throws {}

  /// Does nothing.
  public func cancelled() {}

  /// Does nothing.
  public func rejected() async {}
}
