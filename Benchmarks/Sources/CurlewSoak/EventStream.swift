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
    let session = HTTPSession(SessionConfiguration(.made { try CurlTransport() }))
    var report = Report("event-stream")
    var events = session.serverSentEvents(url).makeAsyncIterator()
    let first = try await events.next()
    var seen = 1
    // The first part shows the memory that a stream needs; the rest must not add to it.
    while seen < count / 100, try await events.next() == first { seen += 1 }
    let before = ProcessFigures.peakMemory
    let start = ContinuousClock.now
    while seen < count, try await events.next() == first { seen += 1 }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let more = ProcessFigures.peakMemory - before
    report.promise(first != nil && seen == count, "\(seen) of \(count) events")
    report.note("\((Double(seen) / seconds / 1000).short) thousand a second")
    report.promise(more < memory, "\(more.short) MB more than before (< \(memory.short))")
    try report.finish()
  }
}
