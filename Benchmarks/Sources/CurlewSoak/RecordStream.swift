import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewJSON
import FoundationEssentials
import HTTPTypes

/// Reads a long stream of JSON Lines, for which memory must not grow.
struct RecordStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "json-lines", abstract: "A long stream of JSON Lines, parsed line by line as it arrives.")

  @Argument(help: "Lines that are all alike.") var url: String
  @Option(help: "How much more memory than before it may take, MB.") var memory = 4.0

  func run() async throws {
    let transport = try CurlTransport()
    var report = Report("json-lines")
    let start = ContinuousClock.now
    let response = try await transport.send(Request(.get, url), in: Exchange())
    let length = response.head.expectedLength ?? 0
    var records = 0
    var bytes = 0
    var first: JSONValue?
    var before = 0.0
    for try await value in response.body.jsonLines() {
      first = first ?? value
      guard value == first else { throw ExitCode.failure }
      records += 1
      // The first records show the memory that a stream needs; the rest must not add to it.
      if records == 10_000 { before = ProcessFigures.peakMemory }
    }
    if let first { bytes = records * (first.text().utf8.count + 1) }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    report.promise(length > 0 && bytes == Int(length), "\(records) records, \(bytes) of \(length) bytes")
    report.note("\((Double(bytes) / 1e6 / seconds).short) MB/s")
    let more = ProcessFigures.peakMemory - before
    report.promise(more < memory, "\(more.short) MB more than before (< \(memory.short))")
    await transport.shutdown()
    try report.finish()
  }
}
