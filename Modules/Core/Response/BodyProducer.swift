/// Fills a `BodyChannel`: a transport's side of one response.
///
/// The channel calls it from any thread, without holding a lock; both calls must return at once.
public protocol BodyProducer: AnyObject, Sendable {
  /// The reader wants more bytes; called once after each `BodyChannel.Demand.pause`, unless the body ended meanwhile.
  func resumeProducing()

  /// The reader gave up: no more bytes are wanted. Called at most once, and not after `BodyChannel.finish`.
  func stopProducing()
}
