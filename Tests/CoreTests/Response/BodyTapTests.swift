import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewCore

@Suite struct BodyTapTests {
  private struct Wrong: Error {}

  @Test(arguments: [false, true])
  func `a tap sees every byte and the end, read or drained`(drains: Bool) async throws {
    let log = TapLog()
    let body = ResponseBody(Data([1, 2, 3])).tapped(by: LoggingTap("a", log)).tapped(by: LoggingTap("b", log))
    try await read(body, drains)
    #expect(log.lines == ["a 3", "b 3", "a ended", "b ended"])
    body.cancel()
    #expect(log.lines.count == 4, "nothing comes behind the end")
  }

  @Test(arguments: [false, true])
  func `an error of one tap is the next one's, and the reader's`(drains: Bool) async throws {
    let log = TapLog()
    let body = ResponseBody(Data([1])).tapped(by: LoggingTap("a", log, throwing: Wrong())).tapped(
      by: LoggingTap("b", log))
    await #expect(throws: Wrong.self) { try await read(body, drains) }
    #expect(log.lines == ["a 1", "b 1", "a ended", "b failed by Wrong"])
    #expect(body.trailers == nil)
  }

  @Test func `a tap replaces an error`() async throws {
    let body = ResponseBody(FailingSource()).tapped(by: LoggingTap("a", TapLog(), throwing: Wrong()))
    await #expect(throws: Wrong.self) { try await body.collect(upTo: 1) }
  }

  @Test func `a body that is cancelled or dropped tells its taps`() async throws {
    let log = TapLog()
    let body = ResponseBody(Data([1])).tapped(by: LoggingTap("a", log))
    body.cancel()
    #expect(log.lines == ["a cancelled"])
    await #expect(throws: CancellationError.self) { try await body.collect(upTo: 1) }
    #expect(log.lines == ["a cancelled", "a failed by CancellationError"])

    let other = TapLog()
    _ = ResponseBody(Data([1])).tapped(by: LoggingTap("b", other))
    #expect(other.lines == ["b cancelled"])
  }

  @Test func `a body that a tap was put on gives up what is below the tap`() async throws {
    let log = TapLog()
    let inner = ResponseBody(Data([1]))
    let body = inner.tapped(by: LoggingTap("a", log))
    inner.cancel()
    #expect(log.lines.isEmpty)
    await #expect(throws: CancellationError.self) { try await body.collect(upTo: 1) }
    #expect(log.lines == ["a failed by CancellationError"])
  }

  @Test func `a source that finds its bytes wrong tells the taps below it, and those above see its bytes`() async throws
  {
    let below = TapLog()
    let above = TapLog()
    let body = ResponseBody(Data([1])).tapped(by: LoggingTap("below", below)).wrapped { DoublingSource($0) }
      .tapped(by: LoggingTap("above", above))
    await #expect(throws: Wrong.self) { try await body.collect(upTo: 9) }
    #expect(below.lines == ["below 1", "below ended", "below rejected"])
    #expect(above.lines == ["above 2", "above failed by Wrong"])
  }

  private func read(_ body: ResponseBody, _ drains: Bool) async throws {
    if drains { try await body.drain(into: TakingSink()) } else { _ = try await body.collect(upTo: 100) }
  }

  /// Doubles what it reads, and does not like the end.
  private final class DoublingSource: ResponseBodySource {
    let source: any ResponseBodySource
    init(_ source: any ResponseBodySource) { self.source = source }
    var trailers: HTTPFields? { nil }
    func cancel() { source.cancel() }
    func next() async throws -> Data? {
      if let chunk = try await source.next() { return chunk + chunk }
      await source.reject()
      throw Wrong()
    }
  }

  private final class FailingSource: ResponseBodySource {
    var trailers: HTTPFields? { nil }
    func cancel() {}
    func next() async throws -> Data? { throw CancellationError() }
  }

  private final class TakingSink: BodySink {
    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
  }
}

/// What taps saw, in order.
private final class TapLog: Sendable {
  private let state = Guarded<[String]>([])
  var lines: [String] { state.withLock { $0 } }
  func note(_ line: String) { state.withLock { $0.append(line) } }
}

/// Notes what it sees.
private final class LoggingTap: BodyTap {
  private let name: String
  private let log: TapLog
  private let error: (any Error)?

  init(_ name: String, _ log: TapLog, throwing error: (any Error)? = nil) {
    self.name = name
    self.log = log
    self.error = error
  }

  func receive(_ bytes: UnsafeRawBufferPointer) { log.note("\(name) \(bytes.count)") }

  func ended(by error: (any Error)?) async throws {
    log.note(error.map { "\(name) failed by \(type(of: $0))" } ?? "\(name) ended")
    if let error = self.error { throw error }
  }

  func cancelled() { log.note("\(name) cancelled") }

  func rejected() async { log.note("\(name) rejected") }
}
