import CurlewCore
import HTTPTypes

extension ResponseHead {
  /// The head as it is printed by `--include` and `--head`, with its empty line.
  var text: String {
    let line = "\((version?.rawValue ?? "http").uppercased()) \(status.code) \(status.reasonPhrase)"
    let fields = headerFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
    return (line.hasSuffix(" ") ? String(line.dropLast()) : line) + "\r\n" + fields + "\r\n"
  }
}
