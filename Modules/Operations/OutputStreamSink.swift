public import CurlewCore
import CurlewDownload
public import CurlewLoading
import CurlewStorage
public import Foundation
import HTTPTypes

extension NetworkError.Kind {
  /// A stream of Foundation's failed to read or write bytes.
  public static let streamFailed = NetworkError.Kind(rawValue: "stream-failed")
}

/// Writes a body into an output stream of Foundation's.
///
/// Set it as `URLConnectionOperation.sink`. The stream is opened when a response was accepted, written on its own thread, and
/// closed when the body is complete. The transport waits for each write, so a slow stream slows down the sender. A write that
/// returns 0, −1 or more than it was given fails the operation with `streamFailed`; no bytes are written twice or skipped.
///
/// Written bytes cannot be taken back. If the body is requested again, after a pause or a lost connection, the beginning that
/// was already written is skipped, provided that a strong validator proves that the response has the same version. Otherwise
/// the operation fails with `streamFailed`, and the stream keeps its bytes.
///
/// Use one sink, and one stream, for one operation.
public final class OutputStreamSink: TransferSink {
  private struct State {
    var written: Int64 = 0
    var validator: EntityValidator?
  }

  /// The stream, which only its thread uses.
  // Safe because all uses run on `thread`, one after the other.
  private final class Stream: @unchecked Sendable {
    let stream: OutputStream
    init(_ stream: OutputStream) { self.stream = stream }
    deinit { stream.close() }
  }

  private let stream: Stream
  private let thread = DiskWork()
  private let state = Guarded(State())

  /// Creates a sink for a stream without other users.
  public init(_ stream: sending OutputStream) { self.stream = Stream(stream) }

  /// The number of bytes that were written.
  public var bytesWritten: Int64 { state.withLock { $0.written } }

  /// Streamed, because each write may take its time.
  public var delivery: ResponseDelivery? { .streamed }

  /// Opens the stream, or checks that the response continues what was written.
  ///
  /// - Throws: `NetworkError` of kind `streamFailed`.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    let validator = EntityValidator(head)
    let skipped = try state.withLock { (state) throws(NetworkError) -> Int64 in
      if state.written > 0, head.status != .ok || validator == nil || validator != state.validator {
        throw Self.failure("The stream has \(state.written) bytes of another version, and cannot begin anew.")
      }
      state.validator = validator
      return state.written
    }
    try await thread.run { [stream] () throws(NetworkError) in
      if stream.stream.streamStatus == .notOpen { stream.stream.open() }
      guard stream.stream.streamStatus != .error else { throw Self.failure("The stream cannot be opened.") }
    }
    return Writer(self, skipping: skipped)
  }

  /// Writes all of the bytes.
  private func write(_ data: Data) async throws(NetworkError) {
    try await thread.run { [self] () throws(NetworkError) in
      var rest = data[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { bytes -> Int in
          guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
          return stream.stream.write(start, maxLength: bytes.count)
        }
        guard (1...rest.count).contains(count) else {
          throw Self.failure("The stream reports that it took \(count) of \(rest.count) bytes.")
        }
        rest = rest.dropFirst(count)
        state.withLock { $0.written += Int64(count) }
      }
    }
  }

  private func close() async { await thread.run { [stream] in stream.stream.close() } }

  private static func failure(_ message: String) -> NetworkError {
    NetworkError(.streamFailed, stage: .receivingBody, message: message)
  }

  private final class Writer: TransferWriter {
    private struct State {
      var piece = Data()
      var skipped: Int64
    }

    private let sink: OutputStreamSink
    private let state: Guarded<State>

    init(_ sink: OutputStreamSink, skipping skipped: Int64) {
      self.sink = sink
      state = Guarded(State(skipped: skipped))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      state.withLock { state in
        let left = Int(min(state.skipped, Int64(bytes.count)))
        state.skipped -= Int64(left)
        guard left < bytes.count else { return .more }
        state.piece = Data(bytes[left...])
        return .pause
      }
    }

    func ready() async throws {
      let piece = state.withLock { state in
        defer { state.piece = Data() }
        return state.piece
      }
      try await sink.write(piece)
    }

    func finish() async throws -> TransferContent {
      guard state.withLock({ $0.skipped }) == 0 else {
        throw OutputStreamSink.failure("The body is shorter than what the stream has of it.")
      }
      await sink.close()
      return .taken
    }
  }
}
