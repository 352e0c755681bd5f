/// Keeps a loop running; its last reference stops the loop.
///
/// The transport and every unfinished request hold one. A body can therefore be read to its end after its transport's last
/// reference is released.
final class LoopKeeper: Sendable {
  let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  deinit { loop.stop() }
}
