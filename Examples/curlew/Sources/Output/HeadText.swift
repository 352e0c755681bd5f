import CurlewCore
import HTTPTypes

extension ResponseHead {
  /// The head in the form of `--include` and `--head`, with its empty line.
  var printed: [UInt8] {
    let name = version == .http2 ? "HTTP/2" : (version?.rawValue ?? "http").uppercased()
    let line = "\(name) \(status.code) \(status.reasonPhrase)"
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
