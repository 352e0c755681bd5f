import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The body of a flight, read by a task.
final class URLSessionBodySource: ResponseBodySource {
  private let flight: URLSessionFlight

  init(_ flight: URLSessionFlight) { self.flight = flight }

  /// Foundation shows none.
  var trailers: HTTPFields? { nil }

  func cancel() { flight.cancel() }

  func next() async throws -> Data? {
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
    switch try flight.shared.withLock({ state in try state.read() }) {
    case .chunk(let chunk): chunk
    case .end: Data()
    case .none: nil
    }
  }

  func drain(into sink: any BodySink) async throws {
    do {
      while let chunk = try await next() {
        let demand = try chunk.withUnsafeBytes { bytes in try sink.receive(bytes) }
        if demand == .pause { try await sink.ready() }
      }
    } catch {
      // A sink that failed takes no more.
      flight.cancel()
      throw error
    }
  }
}
