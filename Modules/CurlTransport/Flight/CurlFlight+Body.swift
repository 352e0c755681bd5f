import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The body of a flight, read by a task.
extension CurlFlight: ResponseBodySource {
  var trailers: HTTPFields? { shared.withLock { $0.trailers } }

  nonisolated(nonsending) func next() async throws -> Data? {
    // What is there already costs no suspension and no handler.
    if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
    return try await withTaskCancellationHandler {
      while true {
        if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
        await wait { $0.bytesAreThere }
      }
    } onCancel: {
      cancel()
    }
  }

  /// One look: bytes, empty bytes for the end, nil for nothing yet.
  private func step() throws -> Data? {
    let low = loop.configuration.bodyBuffer / 4
    let (reading, resumes) = try shared.withLock { state -> (CurlFlightState.Reading, Bool) in
      let reading = try state.read()
      let resumes = state.loopWaits && state.buffered <= low && !state.hasEnded
      if resumes { state.loopWaits = false }
      return (reading, resumes)
    }
    if resumes { loop.post(.receive(self)) }
    switch reading {
    case .chunk(let chunk): return chunk
    case .end: return Data()
    case .none: return nil
    }
  }

  func drain(into sink: any BodySink) async throws {
    try await withTaskCancellationHandler {
      let isOnItsWay = shared.withLock { state -> Bool in
        guard !state.isCancelled, !state.hasEnded else { return false }
        state.sink = sink
        return true
      }
      if isOnItsWay { loop.post(.drain(self)) }
      while true {
        let waits = try shared.withLock { state -> Bool in
          if state.isCancelled { throw CancellationError() }
          return state.sinkWaits
        }
        if waits {
          try await readySink(sink)
          shared.withLock { $0.sinkWaits = false }
          loop.post(.receive(self))
        } else if shared.withLock({ $0.hasEnded }) {
          return try await drainRest(into: sink)
        }
        await wait { $0.drainNeedsTask }
      }
    } onCancel: {
      cancel()
    }
  }

  private func readySink(_ sink: any BodySink) async throws {
    do {
      try await sink.ready()
    } catch {
      cancel()
      throw error
    }
  }

  /// The rest of a body whose loop is through with it.
  private func drainRest(into sink: any BodySink) async throws {
    while let chunk = try await next() {
      if try chunk.withUnsafeBytes({ try sink.receive($0) }) == .pause { try await sink.ready() }
    }
  }
}
