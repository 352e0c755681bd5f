import ArgumentParser
import FoundationEssentials

/// Parsing a document over and over.
struct ParseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Parses a file again and again.",
    discussion: """
      mb_per_s is bytes of the file by processor seconds, for the dynamic value and, where the file is one of the known \
      corpora, for a typed Decodable.

      EXAMPLES
        curlew-bench parse json twitter.json
        curlew-bench parse json twitter.json 5 --peer foundation-json
      """)

  @Argument(help: "The format: json.") var format: Format
  @Argument(help: "The file.") var file: String
  @Argument(help: "How long to measure each, in seconds.") var seconds: Double = 3
  @Option(help: "Do the same work through a peer: foundation-json.") var peer: ParsePeer?

  enum Format: String, ExpressibleByArgument, CaseIterable { case json }

  func run() throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ValidationError("'\(file)' cannot be read.")
    }
    let name = peer?.rawValue ?? "curlew"
    for work in JSONWork.all(for: data, peer: peer) {
      let rate = try Self.megabytesPerSecond(data.count, seconds) { try work.parse(data) }
      print(
        "\(name) \(work.name) bytes=\(data.count) mb_per_s=\(decimal(rate, 1)) rss_mb=\(decimal(Usage.current.peakMegabytes, 1))"
      )
    }
  }

  private static func megabytesPerSecond(_ size: Int, _ seconds: Double, _ parse: () throws -> Void) rethrows -> Double
  {
    for _ in 0..<2 { try parse() }
    let start = Usage.current
    var rounds = 0
    while true {
      try parse()
      rounds += 1
      let measured = Measurement(from: start)
      if measured.processorSeconds >= seconds { return Double(size * rounds) / 1e6 / measured.processorSeconds }
    }
  }
}

enum ParsePeer: String, ExpressibleByArgument, CaseIterable {
  case foundationJSON = "foundation-json"
}
