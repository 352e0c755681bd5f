import CurlewSession

/// The standard's algorithm, word by word and on the whole stream, to compare the parser with.
enum ReferenceStream {
  static func events(of bytes: [UInt8]) -> [ServerSentEvent] {
    var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var events: [ServerSentEvent] = []
    var data = ""
    var type = ""
    var buffer = ""
    for line in lines(of: text) {
      if line.isEmpty {
        if data.isEmpty {
          type = ""
          continue
        }
        data.unicodeScalars.removeLast()
        events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: buffer))
        data = ""
        type = ""
        continue
      }
      if line.first == ":" { continue }
      let colon = line.firstIndex(of: ":")
      let field = string(line[..<(colon ?? line.endIndex)])
      var value = colon.map { line[($0 + 1)...] } ?? []
      if value.first == " " { value = value.dropFirst() }
      switch field {
      case "event": type = string(value)
      case "data": data += string(value) + "\n"
      case "id" where !value.contains("\0"): buffer = string(value)
      default: break
      }
    }
    return events
  }

  /// The lines that have an end.
  private static func lines(of text: [Unicode.Scalar]) -> [ArraySlice<Unicode.Scalar>] {
    var lines: [ArraySlice<Unicode.Scalar>] = []
    var start = 0
    var index = 0
    while index < text.count {
      let scalar = text[index]
      if scalar == "\n" || scalar == "\r" {
        lines.append(text[start..<index])
        if scalar == "\r", index + 1 < text.count, text[index + 1] == "\n" { index += 1 }
        start = index + 1
      }
      index += 1
    }
    return lines
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
