import ArgumentParser
import CurlewXML
import FoundationEssentials

/// Parses a document that is far larger than the allowed memory.
struct XMLStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xml-stream", abstract: "A large document as events, made while it is read.")

  @Option(help: "How large the document is.") var megabytes = 1024
  @Option(help: "The most memory the process may hold, in megabytes.") var memory = 30.0

  func run() async throws {
    var report = Report("xml-stream")
    let chunk = Record.chunk
    let total = max(1, megabytes << 20)
    var elements = 0
    for try await event in Document(chunk: chunk, count: total / chunk.count).xmlEvents() {
      if case .startElement = event { elements += 1 }
    }
    report.promise(elements == 1 + total / chunk.count * Record.count * 3, "\(elements) elements in \(megabytes) MB")
    report.note("\(ProcessFigures.cpu.short) s of processor")
    let peak = ProcessFigures.peakMemory
    report.promise(peak < memory, "peak memory \(peak.short) MB (< \(memory.short))")
    try report.finish()
  }
}

private enum Record {
  static let count = 300
  static let chunk = Data(
    (0..<count).map {
      "<record id=\"\($0)\" kind='wader'><name>Numenius &amp; arquata</name><note><![CDATA[long <bill>]]></note></record>\n"
    }.joined().utf8)
}

/// The chunks of a document, generated one at a time.
private struct Document: AsyncSequence, Sendable {
  typealias Element = Data
  let chunk: Data
  let count: Int

  func makeAsyncIterator() -> Iterator { Iterator(document: self) }

  struct Iterator: AsyncIteratorProtocol {
    let document: Document
    var index = -1

    mutating func next() async throws -> Data? {
      defer { index += 1 }
      if index < 0 { return Data("<?xml version='1.0'?><!DOCTYPE all [<!ENTITY e 'x'>]><all>".utf8) }
      if index < document.count { return document.chunk }
      return index == document.count ? Data("</all>".utf8) : nil
    }
  }
}
