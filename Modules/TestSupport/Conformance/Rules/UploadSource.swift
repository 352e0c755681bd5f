import CurlewCore
import FoundationEssentials

/// A source of a request's body that remembers how much was asked of it.
final class UploadSource: BodyChunks {
  /// What a source does in turn.
  enum Piece: Sendable {
    /// Makes bytes.
    case bytes(Data)
    /// Makes the same bytes so many times.
    case repeated(Data, Int)
    /// Waits until it opens.
    case wait(OriginGate)
    /// Throws.
    case failure(any Error)
  }

  private struct State {
    var pieces: ArraySlice<Piece>
    var made: Int64 = 0
    var calls = 0
  }

  private let state: Watched<State>
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: Called when it is let go.
  init(pieces: [Piece], onEnd: @escaping @Sendable () -> Void = {}) {
    state = Watched(State(pieces: pieces[...]))
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// How many bytes it has made.
  var made: Int64 { state.current.made }
  /// How often it was asked.
  var calls: Int { state.current.calls }

  /// Returns once it has made so many bytes.
  func made(_ count: Int64) async throws { try await state.wait { $0.made >= count } }

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

/// What an upload source throws.
struct UploadSourceFailure: Error {}

/// Something that is set once and can be waited for.
final class OneShot: Sendable {
  private let state = Watched(false)

  var isSet: Bool { state.current }

  func set() { state.update { $0 = true } }

  func wait() async throws { try await state.wait { $0 } }
}
