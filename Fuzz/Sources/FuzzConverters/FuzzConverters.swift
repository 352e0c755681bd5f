import CurlewJSON
import FoundationEssentials
import FuzzKit

/// Fuzzes what the tool's `decode` and `encode` make of a document; `Formats` is a link to the tool's sources.
@main enum FuzzConverters: FuzzTarget {
  static func read(_ bytes: Data) {
    for format in FormatList.all {
      _ = format.recognizes(bytes.prefix(512))
      StandardOutput.written = 0
      guard let lines = try? format.lines(of: bytes, head: nil, DecodingOptions()) else { continue }
      for line in lines { try? line.print() }
      // An XML element takes some 60 bytes of JSON, an alias of YAML repeats what it names within the limit of aliases.
      let most = format.name == "yaml" ? 64 << 20 : 4_096 + 256 * bytes.count
      demand(StandardOutput.written <= most, "\(format.name): \(bytes.count) bytes became \(StandardOutput.written)")
    }
    guard let value = try? JSONValue(parsing: bytes) else { return }
    for format in FormatList.all {
      guard let written = try? format.encode([value]) else { continue }
      demand((try? format.lines(of: written, head: nil, DecodingOptions())) != nil, "\(format.name) does not read back")
    }
  }
}
