#if AsyncHTTPClient
import CurlewCore
import Synchronization

/// The requests of a transport that have not ended, by their marks.
final class FlightTable: Sendable {
  private struct State {
    var flights: [String: Flight] = [:]
    var last: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Returns the mark for another request.
  func nextMark() -> String {
    state.withLock { state in
      state.last += 1
      return String(state.last)
    }
  }

  /// Adds a request; returns false if the transport was shut down.
  func add(_ flight: Flight) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.flights[flight.mark] = flight
      return true
    }
  }

  /// Returns the request with a mark; nil if it has ended.
  func flight(_ mark: String) -> Flight? { state.withLock { $0.flights[mark] } }

  func remove(_ flight: Flight) { _ = state.withLock { $0.flights.removeValue(forKey: flight.mark) } }

  /// Accepts no more requests, and returns those that have not ended.
  func close() -> [Flight] {
    state.withLock { state in
      state.isClosed = true
      return Array(state.flights.values)
    }
  }
}
#endif
