/// What becomes of the connection while a transfer is paused.
///
/// Only a request that may be repeated (idempotent, its body replayable) gives its connection up; any other holds it.
/// A transport without backpressure cannot hold and lets it go at once.
public enum PausePolicy: Sendable, Hashable {
  /// It is held as long as the server allows, and nothing is pulled.
  case hold
  /// It is held for a while and then given up; `resume` begins another attempt.
  case release(after: Duration)
}
