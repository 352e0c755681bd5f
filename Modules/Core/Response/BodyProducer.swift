/// The transport's side of a `BodyChannel`, which fills it with one response.
///
/// The channel calls it from any thread, without holding a lock. Both methods must return without blocking.
public protocol BodyProducer: AnyObject, Sendable {
  /// Resumes producing, because the reader wants more bytes.
  ///
  /// It is called once after each `BodyChannel.Demand.pause`, unless the body has ended meanwhile.
  func resumeProducing()

  /// Stops producing, because the reader cancelled.
  ///
  /// It is called at most once, and not after `BodyChannel.finish`.
  func stopProducing()
}
