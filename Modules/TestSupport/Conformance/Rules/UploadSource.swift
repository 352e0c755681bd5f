import CurlewCore
import FoundationEssentials

/// A source of a request's body that records how much was requested.
final class UploadSource: BodyChunks {
  /// The steps of a source.
  enum Piece: Sendable {
    /// Produces bytes.
    case bytes(Data)
    /// Produces the same bytes repeatedly.
    case repeated(Data, Int)
    /// Waits until the gate opens.
    case wait(OriginGate)
    /// Throws an error.
    case failure(any Error)
  }

  private struct State {
    var pieces: ArraySlice<Piece>
    var made: Int64 = 0
    var calls = 0
  }

  private let state: Watched<State>
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: Called when the source is released.
  init(pieces: [Piece], onEnd: @escaping @Sendable () -> Void = {}) {
    state = Watched(State(pieces: pieces[...]))
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// The number of bytes it has produced.
  var made: Int64 { state.current.made }
  /// The number of calls.
  var calls: Int { state.current.calls }

  /// Waits until it has produced this many bytes.
  func made(_ count: Int64) async throws {
    let what: @Sendable () -> String = { [state] in
      "\(count) bytes to be asked of the source of the request's body (so far: \(state.current.made))"
    }
    try await ConformanceWaits.waiting(for: what) { try await state.wait { $0.made >= count } }
  }

  func next() async throws -> Data? {
    let piece = state.update { state in
      state.calls += 1
      let piece = state.pieces.popFirst()
      if case .repeated(let data, let times) = piece, times > 1 {
        state.pieces.insert(.repeated(data, times - 1), at: state.pieces.startIndex)
      }
      return piece
    }
    switch piece {
    case nil: return nil
    case .bytes(let data), .repeated(let data, _):
      state.update { $0.made += Int64(data.count) }
      return data
    case .wait(let gate):
      await Awaiting.oneCall { gate.arrive($0) }
      try Task.checkCancellation()
      return Data()
    case .failure(let error): throw error
    }
  }

  /// Returns a body of this source, which can be sent once.
  func body(length: Int64? = nil) -> Body { .stream(length: length, replayable: false) { self } }
}

/// The error of a failing upload source.
struct UploadSourceFailure: Error {}

/// A flag that is set once and can be waited for.
final class OneShot: Sendable {
  private let state = Watched(false)

  var isSet: Bool { state.current }

  func set() { state.update { $0 = true } }

  func wait() async throws {
    try await ConformanceWaits.waiting(for: { "the release of the source of the request's body" }) {
      try await state.wait { $0 }
    }
  }
}
