/// Looks at a body while it is read, and changes none of its bytes.
///
/// A tap measures, hashes or stores what passes, or acts at the end. `ResponseBody.tapped(by:)` adds one; the one that was
/// added first sees everything first. `receive` and `ended` are called by one task or thread at a time. `cancelled` may
/// be called at any time, from any isolation, beside the others and more than once.
///
/// ```swift
/// final class ByteCount: BodyTap {
///   private let count = Guarded(0)
///   func receive(_ bytes: UnsafeRawBufferPointer) { count.withLock { $0 += bytes.count } }
/// }
/// let counted = response.body.tapped(by: ByteCount())
/// ```
/// A tap does nothing where it implements nothing.
public protocol BodyTap: AnyObject, Sendable {
  /// Bytes pass to the reader; they are valid during the call only, which may be on the transport's own thread.
  func receive(_ bytes: UnsafeRawBufferPointer)

  /// The body ended, and the reader is told so when this returns.
  ///
  /// - Parameter error: What ended it; nil when it is complete.
  /// - Throws: What the reader gets instead, also of a body that would be complete. A failure stays one.
  func ended(by error: (any Error)?) async throws

  /// The reader gave the rest up, or dropped the body before its end.
  func cancelled()

  /// The bytes are not what they should be: whoever keeps a copy forgets it. May come after the end.
  func rejected() async
}

extension BodyTap {
  /// Ignores the bytes.
  public func receive(_ bytes: UnsafeRawBufferPointer) {}

  /// Leaves the end as it is.
  public func ended(by error: (any Error)?) async throws {}

  /// Ignores it.
  public func cancelled() {}

  /// Ignores it.
  public func rejected() async {}
}
