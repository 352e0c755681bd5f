import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The body of a flight, read by a task.
final class FlightBodySource: ResponseBodySource {
  private let flight: Flight

  init(_ flight: Flight) { self.flight = flight }

  var trailers: HTTPFields? { flight.shared.withLock { $0.trailers } }

  func cancel() { flight.cancel() }

  nonisolated(nonsending) func next() async throws -> Data? {
    // What is there already costs no suspension and no handler.
    if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
    return try await withTaskCancellationHandler {
      while true {
        if let chunk = try step() { return chunk.isEmpty ? nil : chunk }
        await flight.wait { $0.bytesAreThere }
      }
    } onCancel: {
      flight.cancel()
    }
  }

  /// One look: bytes, empty bytes for the end, nil for nothing yet.
  private func step() throws -> Data? {
    let low = flight.loop.configuration.bodyBuffer / 4
    let (reading, resumes) = try flight.shared.withLock { state -> (FlightState.Reading, Bool) in
      let reading = try state.read()
      let resumes = state.loopWaits && state.buffered <= low && !state.hasEnded
      if resumes { state.loopWaits = false }
      return (reading, resumes)
    }
    if resumes { flight.loop.post(.receive(flight)) }
    switch reading {
    case .chunk(let chunk): return chunk
    case .end: return Data()
    case .none: return nil
    }
  }

  func drain(into sink: any BodySink) async throws {
    try await withTaskCancellationHandler {
      let isOnItsWay = flight.shared.withLock { state -> Bool in
        guard !state.isCancelled, !state.hasEnded else { return false }
        state.sink = sink
        return true
      }
      if isOnItsWay { flight.loop.post(.drain(flight)) }
      while true {
        let waits = try flight.shared.withLock { state -> Bool in
          if state.isCancelled { throw CancellationError() }
          return state.sinkWaits
        }
        if waits {
          try await readySink(sink)
          flight.shared.withLock { $0.sinkWaits = false }
          flight.loop.post(.receive(flight))
        } else if flight.shared.withLock({ $0.hasEnded }) {
          return try await drainRest(into: sink)
        }
        await flight.wait { $0.drainNeedsTask }
      }
    } onCancel: {
      flight.cancel()
    }
  }

  private func readySink(_ sink: any BodySink) async throws {
    do {
      try await sink.ready()
    } catch {
      flight.cancel()
      throw error
    }
  }

  /// The rest of a body whose loop is through with it.
  private func drainRest(into sink: any BodySink) async throws {
    while let chunk = try await next() {
      if try chunk.withUnsafeBytes({ try sink.receive($0) }) == .wait { try await sink.ready() }
    }
  }
}
