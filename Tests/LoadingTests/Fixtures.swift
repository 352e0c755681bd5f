import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// What several suites need.
enum Fixture {
  static let url = URL(string: "http://stub.test/") ?? URL(filePath: "/")

  static func request(_ method: HTTPRequest.Method = .get, body: Body = .empty) -> Request {
    Request(method, url, body: body)
  }

  static func lost(_ kind: NetworkError.Kind = .connectionLost, maybeProcessed: Bool = true) -> NetworkError {
    NetworkError(kind, stage: .awaitingHead, message: "Lost.").with { $0.maybeProcessed = maybeProcessed }
  }

  static func settings(
    clock: any NetworkClock = SystemClock(), observer: RecordingObserver? = nil
  ) -> ExchangeSettings {
    var settings = ExchangeSettings()
    settings.clock = clock
    if let observer { settings.observers = [observer] }
    return settings
  }

  /// Lets other tasks run for as long as a condition holds; what never comes fails the test and does not hang it.
  static func wait(
    while condition: @autoclosure () -> Bool, isolation: isolated (any Actor)? = #isolation,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    while condition() {
      guard ContinuousClock.now < end, !Task.isCancelled else {
        Issue.record("What was waited for did not come.", sourceLocation: location)
        return
      }
      await Task.yield()
    }
  }

  /// Runs a whole transfer, from its start to its end.
  ///
  /// It is a witness for tests that expect nothing to happen: what was set off before it began would have come before it ends.
  static func witness() async throws {
    let steps = (0..<200).map { StubAnswer.Step.bytes(Data([UInt8($0)])) }
    let transfer = Transfer(Loader(StubTransport(StubAnswer(body: steps))), request(), to: MemorySink(limit: 200))
    _ = try await transfer.run()
    await transfer.settled()
  }

  /// The kind of the error a body throws; nil where it throws none.
  static func kind(_ body: () async throws -> Void) async -> NetworkError.Kind? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? NetworkError)?.kind ?? .init(rawValue: "\(type(of: error))")
    }
  }
}

/// Values from anywhere, in order.
final class Collected<Value: Sendable>: Sendable {
  private let values = Guarded<[Value]>([])
  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// A body sink that keeps everything, and waits when it is told to.
final class KeepingSink: BodySink {
  private let data = Guarded(Data())
  private let failure: (any Error)?
  private let waitsAtEach: Bool

  init(failing failure: (any Error)? = nil, waitsAtEach: Bool = false) {
    self.failure = failure
    self.waitsAtEach = waitsAtEach
  }

  var bytes: Data { data.withLock { $0 } }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    if let failure { throw failure }
    data.withLock { $0.append(contentsOf: bytes) }
    return waitsAtEach ? .pause : .more
  }
}
