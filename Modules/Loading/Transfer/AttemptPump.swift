import CurlewCore

/// Between a body and its writer: counts, and stops the flow while the attempt is held.
final class AttemptPump: BodySink {
  private let writer: any TransferWriter
  private let handle: AttemptHandle
  private let progress: ProgressBoard
  private let clock: any NetworkClock
  private let state = Guarded(State())

  private struct State {
    var bytes: Int64 = 0
    var writerWaits = false
  }

  init(_ writer: any TransferWriter, _ handle: AttemptHandle, _ progress: ProgressBoard, _ clock: any NetworkClock) {
    self.writer = writer
    self.handle = handle
    self.progress = progress
    self.clock = clock
  }

  /// How many bytes the writer took.
  var bytes: Int64 { state.withLock { $0.bytes } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    let allowed = try handle.demand()
    let demand: SinkDemand
    do {
      demand = try writer.receive(bytes)
    } catch {
      throw Self.failure(error)
    }
    state.withLock { state in
      state.bytes += Int64(bytes.count)
      state.writerWaits = demand == .wait
    }
    progress.add(bytes.count, now: clock.now)
    return demand == .wait ? .wait : allowed
  }

  func ready() async throws {
    if state.withLock({ $0.writerWaits }) {
      do {
        try await writer.ready()
      } catch {
        throw Self.failure(error)
      }
    }
    try await handle.pass()
  }

  /// A writer's error as the transfer reports it.
  static func failure(_ error: any Error) -> any Error {
    guard !(error is NetworkError), !(error is CancellationError) else { return error }
    return NetworkError(
      .sinkFailed, stage: .receivingBody, message: "The sink that takes the body failed.", underlying: error)
  }
}

/// Takes the bytes sent from the transport's events.
final class UploadObserver: EventObserver {
  private let progress: ProgressBoard
  private let clock: any NetworkClock

  init(_ progress: ProgressBoard, _ clock: any NetworkClock) {
    self.progress = progress
    self.clock = clock
  }

  /// Numbers need no redaction, which would cost a copy of each request.
  var wantsSecrets: Bool { true }

  func observe(_ event: ExchangeEvent) {
    guard case .sent(let bytes, let expected) = event.kind else { return }
    progress.set(bytes, total: expected, now: clock.now)
  }
}
