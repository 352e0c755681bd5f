/// What happens to the connection while a transfer is paused.
///
/// Only a request that can be repeated (idempotent, with a replayable body) releases its connection; any other request
/// keeps it. A transport without backpressure cannot keep it and releases it at once.
public enum PausePolicy: Sendable, Hashable {
  /// Keep it as long as the server allows, without reading.
  case hold
  /// Keep it for a while and then release it; `resume` starts another attempt.
  case release(after: Duration)
}
