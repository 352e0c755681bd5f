import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewSession

/// Reads a long stream of equal events, for which memory must not grow.
struct EventStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event-stream", abstract: "A long stream of server-sent events, read as they arrive.")

  @Argument(help: "A stream of events that are all alike.") var url: String
  @Option(help: "How many events it has.") var count: Int
  @Option(help: "How much more memory than before it may take, MB.") var memory = 4.0

  func run() async throws {
    let events = HTTPSession(SessionConfiguration(.made { try CurlTransport() })).serverSentEvents(url)
    try await LongStream(name: "event-stream", count: count, memory: memory).read(events, called: "events")
  }
}

/// Reads a long body of equal lines, for which memory must not grow.
struct LineStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "line-stream", abstract: "A long body, read line by line as it arrives.")

  @Argument(help: "Lines that are all alike.") var url: String
  @Option(help: "How many lines it has.") var count: Int
  @Option(help: "How much more memory than before it may take, MB.") var memory = 4.0

  func run() async throws {
    let lines = HTTPSession(SessionConfiguration(.made { try CurlTransport() })).lines(url)
    try await LongStream(name: "line-stream", count: count, memory: memory).read(lines, called: "lines")
  }
}

/// The measurement of a stream of equal elements.
private struct LongStream {
  let name: String
  let count: Int
  /// How much the memory may grow, in megabytes.
  let memory: Double

  func read<Elements: AsyncSequence>(_ elements: Elements, called noun: String) async throws
  where Elements.Element: Equatable {
    var report = Report(name)
    var iterator = elements.makeAsyncIterator()
    let first = try await iterator.next()
    var seen = 1
    // The first part shows the memory that a stream needs; the rest must not add to it.
    while seen < count / 100, try await iterator.next() == first { seen += 1 }
    let before = ProcessFigures.peakMemory
    let start = ContinuousClock.now
    while seen < count, try await iterator.next() == first { seen += 1 }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let more = ProcessFigures.peakMemory - before
    report.promise(first != nil && seen == count, "\(seen) of \(count) \(noun)")
    report.note("\((Double(seen) / seconds / 1000).short) thousand a second")
    report.promise(more < memory, "\(more.short) MB more than before (< \(memory.short))")
    try report.finish()
  }
}
