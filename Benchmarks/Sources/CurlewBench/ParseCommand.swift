import ArgumentParser
import FoundationEssentials

/// Measures the repeated parsing of a document.
struct ParseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Parses a file again and again.",
    discussion: """
      mb_per_s is bytes of the file by processor seconds, for the dynamic value and, where the file is one of the known \
      corpora, for a typed Decodable.

      EXAMPLES
        curlew-bench parse json twitter.json
        curlew-bench parse json twitter.json 5 --peer foundation-json
        curlew-bench parse xml feed.xml --peer foundation-xml
        curlew-bench parse yaml crd.yaml --peer libyaml
        curlew-bench parse image photo.jpg
        valgrind --tool=callgrind curlew-bench parse xml feed.xml --only document --rounds 10
      """)

  @Argument(help: "The format.") var format: Format
  @Argument(help: "The file.") var file: String
  @Argument(help: "How long to measure each, in seconds.") var seconds: Double = 3
  @Option(help: "Do the same work through a peer.") var peer: ParsePeer?
  @Option(help: "Parse so many times and measure no time, for a counter of instructions.") var rounds: Int?

  @Option(help: "Only the line of this name.") var only: String?

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, xml, yaml, image

    /// The peers that can do the same work.
    var peers: [ParsePeer] {
      switch self {
      case .json: [.foundationJSON]
      case .xml: [.foundationXML, .libxml2]
      case .yaml: [.libyaml, .yams]
      case .image: []
      }
    }
  }

  func validate() throws {
    if let peer, !format.peers.contains(peer) {
      throw ValidationError("\(peer.rawValue) is no peer for \(format.rawValue).")
    }
  }

  func run() throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ValidationError("'\(file)' cannot be read.")
    }
    let name = peer?.rawValue ?? "curlew"
    let works =
      switch format {
      case .json: ParseWork.json(data, peer: peer)
      case .xml: ParseWork.xml(peer: peer)
      case .yaml: ParseWork.yaml(data, peer: peer)
      case .image: ParseWork.image(data)
      }
    for work in works where only == nil || only == work.name {
      if let rounds {
        for _ in 0..<max(0, rounds) { try work.parse(data) }
        continue
      }
      let rate = try Self.megabytesPerSecond(data.count, seconds) { try work.parse(data) }
      print(
        "\(name) \(work.name) bytes=\(data.count) mb_per_s=\(decimal(rate, 1)) us_per_parse=\(decimal(Double(data.count) / rate, 2)) rss_mb=\(decimal(Usage.current.peakMegabytes, 1))"
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
  case foundationXML = "foundation-xml"
  case libxml2
  /// Bare events, from which no document is built.
  case libyaml
  case yams
}
