import CurlewCore
import HTTPTypes

extension ResponseHead.Version {
  /// The version as a status line has it: `HTTP/1.1`, `HTTP/2`.
  var name: String { self == .http2 ? "HTTP/2" : rawValue.uppercased() }
}

extension ResponseHead {
  /// The head in the form of `--include` and `--head`, with its empty line.
  var printed: [UInt8] {
    let line = "\(version?.name ?? "HTTP") \(status.code) \(status.reasonPhrase)"
    var bytes = Array((line.hasSuffix(" ") ? String(line.dropLast()) : line).utf8) + Self.lineEnd
    for field in headerFields {
      bytes += Array("\(field.name.rawName): ".utf8)
      // Print the bytes as they arrived, because some servers do not send UTF-8.
      // Safe because the bytes do not escape the closure.
      field.withUnsafeBytesOfValue { bytes += $0 }
      bytes += Self.lineEnd
    }
    return bytes + Self.lineEnd
  }

  private static var lineEnd: [UInt8] { [13, 10] }
}
