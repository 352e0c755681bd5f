import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Executes the steps of a `StubAnswer` when the body is read.
final class StubBody: ResponseBodySource {
  private let sending: StubSending
  private let givenTrailers: HTTPFields?
  private let state: Guarded<State>

  private struct State {
    var steps: ArraySlice<StubAnswer.Step>
    var repetitions = 0
    var left: Int64?
    var ended = false

    /// Returns the next step; a repeated one stays until it is used up.
    mutating func next() -> StubAnswer.Step? {
      guard let step = steps.first else { return nil }
      guard case .repeated(let data, let count) = step else { return steps.popFirst() }
      guard repetitions < count else {
        repetitions = 0
        steps.removeFirst()
        return .bytes(Data())
      }
      repetitions += 1
      return .bytes(data)
    }

    /// Returns as much of a chunk as the announced length allows.
    mutating func take(_ data: Data) -> Data {
      guard let left else { return data }
      let taken = Int64(data.count) > left ? Data(data.prefix(Int(left))) : data
      self.left = left - Int64(taken.count)
      return taken
    }
  }

  init(_ sending: StubSending, _ steps: [StubAnswer.Step], length: Int64?, _ trailers: HTTPFields?) {
    self.sending = sending
    givenTrailers = trailers
    state = Guarded(State(steps: steps[...], left: length))
  }

  deinit { cancel() }

  var trailers: HTTPFields? { state.withLock { $0.ended } ? givenTrailers : nil }

  func next() async throws -> Data? {
    do {
      while true {
        try sending.checkInterruption()
        guard state.withLock({ $0.left != 0 }), let step = state.withLock({ $0.next() }) else { return try end() }
        switch step {
        case .bytes(let data):
          let taken = state.withLock { $0.take(data) }
          if taken.isEmpty { continue }
          sending.received(taken.count)
          return taken
        case .repeated: continue
        case .made(let make):
          let data = try await sending.run(make)
          let taken = state.withLock { $0.take(data) }
          if taken.isEmpty { continue }
          sending.received(taken.count)
          return taken
        case .wait(let wait): try await sending.run(wait)
        case .failure(let error): throw error
        case .stall:
          let gate = ManualGate()
          try await sending.run { try await gate.wait() }
        }
      }
    } catch {
      throw sending.finish(throwing: error)
    }
  }

  func cancel() {
    sending.interrupt(CancellationError())
    sending.finish()
  }

  private func end() throws -> Data? {
    let left = state.withLock { state in
      state.ended = true
      return state.left ?? 0
    }
    guard left == 0 else {
      throw NetworkError(
        .truncatedBody, stage: .receivingBody, message: "The body ended \(left) bytes before its announced length.")
    }
    sending.finish()
    return nil
  }
}
