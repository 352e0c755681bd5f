/// Keeps a loop at work; it is asked to end with the last reference.
///
/// The transport holds one, and so does every request that is not over: a body can be read to its end after its
/// transport's last reference is gone.
final class LoopKeeper: Sendable {
  let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  deinit { loop.stop() }
}
