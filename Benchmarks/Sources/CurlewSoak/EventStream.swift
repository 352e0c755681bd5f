import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewSession

/// A long event stream from a server, each event like the others: memory must not grow with it.
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
    // What the first part has taken is what a stream costs; the rest must not add to it.
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
