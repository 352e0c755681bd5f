public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Wraps a transport and records every request with its outcome.
///
/// Safe from any isolation.
///
/// ```swift
/// let recording = RecordingTransport(StubTransport(.text("hello")))
/// let loader = Loader(recording)
/// #expect(recording.requests.map(\.method) == [.get])
/// ```
public final class RecordingTransport: Transport {
  /// One sending.
  public struct Record: Sendable {
    /// The request as the transport received it.
    public var request: Request
    /// The identity of the logical request.
    public var exchange: Exchange.ID
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The number of the hop, from 0.
    public var hop: Int
    /// Whether it required a fresh connection.
    package var requiresFreshConnection: Bool
    /// The outcome of the sending.
    public var outcome: Outcome
  }

  /// The outcome of a sending.
  public enum Outcome: Sendable {
    /// No head has arrived yet.
    case pending
    /// A head has arrived, and this many bytes of the body so far.
    case responded(ResponseHead, bytes: Int64)
    /// The body was read to its end.
    case ended(ResponseHead, bytes: Int64)
    /// The sending failed, before or after a head.
    case failed(any Error)
    /// The body was cancelled or released.
    case dropped(ResponseHead, bytes: Int64)
  }

  private let wrapped: any Transport
  private let state = Watched<[Record]>([])

  /// Wraps a transport.
  public init(_ wrapped: any Transport) { self.wrapped = wrapped }

  /// The wrapped transport's capabilities, without two-way connections.
  public var capabilities: TransportCapabilities { wrapped.capabilities.subtracting(.duplex) }

  /// All sendings, in order.
  public var records: [Record] { state.current }

  /// All requests, in order.
  public var requests: [Request] { state.current.map(\.request) }

  /// Returns when at least `count` requests were sent.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func waitForRequests(_ count: Int = 1) async throws {
    try await state.wait { $0.count >= count }
  }

  /// Forwards the request and records it.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let index = state.update { records in
      records.append(
        Record(
          request: request, exchange: exchange.id, attempt: exchange.attempt, hop: exchange.hop,
          requiresFreshConnection: exchange.requiresFreshConnection, outcome: .pending))
      return records.count - 1
    }
    do {
      let response = try await wrapped.send(request, in: exchange)
      note(.responded(response.head, bytes: 0), at: index)
      let tap = RecordingTap(response.head) { [weak self] in self?.note($0, at: index) }
      return Response(head: response.head, body: response.body.tapped(by: tap))
    } catch {
      note(.failed(error), at: index)
      throw error
    }
  }

  /// Shuts the wrapped transport down.
  public func shutdown() async { await wrapped.shutdown() }

  private func note(_ outcome: Outcome, at index: Int) {
    state.update { records in
      switch records[index].outcome {
      case .pending, .responded: records[index].outcome = outcome
      case .ended, .failed, .dropped: break
      }
    }
  }
}

/// Records the outcome of a body.
private final class RecordingTap: BodyTap {
  private let head: ResponseHead
  private let note: @Sendable (RecordingTransport.Outcome) -> Void
  private let count = Guarded<Int64>(0)

  init(_ head: ResponseHead, _ note: @escaping @Sendable (RecordingTransport.Outcome) -> Void) {
    self.head = head
    self.note = note
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    let count = count.withLock { count in
      count += Int64(bytes.count)
      return count
    }
    note(.responded(head, bytes: count))
  }

  func ended(by error: (any Error)?) async {
    note(error.map { .failed($0) } ?? .ended(head, bytes: count.withLock { $0 }))
  }

  func cancelled() { note(.dropped(head, bytes: count.withLock { $0 })) }

  func rejected() async { cancelled() }
}
