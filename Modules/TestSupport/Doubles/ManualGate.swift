/// A gate that a test opens, so that waiting tasks continue.
///
/// Safe from any isolation.
///
/// ```swift
/// let gate = ManualGate()
/// let stub = StubTransport(StubAnswer(body: [.bytes(half), .wait { try await gate.wait() }, .bytes(rest)]))
/// gate.open()
/// ```
public final class ManualGate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
  }

  private let state = Watched(State())

  /// Creates a closed gate.
  public init() {}

  /// Whether it was opened.
  public var isOpen: Bool { state.current.isOpen }

  /// Opens the gate for waiting tasks and later ones.
  public func open() { state.update { $0.isOpen = true } }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func wait() async throws {
    state.update { $0.arrivals += 1 }
    try await state.wait { $0.isOpen }
  }

  /// Waits until `wait` was called at least `count` times.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitForArrivals(_ count: Int = 1) async throws {
    try await state.wait { $0.arrivals >= count }
  }
}
