import FoundationEssentials

/// Writes XML property lists, indented with tabs like Apple's.
struct XMLPropertyListWriter {
  private var text = ""

  mutating func document(_ value: PropertyList) throws(PropertyListError) -> String {
    text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">

      """
    try write(value, depth: 0)
    return text + "</plist>\n"
  }

  private mutating func line(_ line: String, _ depth: Int) {
    text += String(repeating: "\t", count: depth) + line + "\n"
  }

  private mutating func write(_ value: PropertyList, depth: Int) throws(PropertyListError) {
    guard depth <= 512 else { throw PropertyListError(.tooDeep, "containers are nested deeper than 512 levels") }
    switch value {
    case .string(let value): line("<string>\(try escaped(value))</string>", depth)
    case .integer(let value):
      guard value >= Int128(Int64.min), value <= Int128(UInt64.max) else {
        throw PropertyListError(
          .unrepresentable, "an integer is out of range; a property list holds Int64.min to UInt64.max")
      }
      line("<integer>\(value)</integer>", depth)
    case .real(let value): line("<real>\(value)</real>", depth)
    case .bool(let value): line(value ? "<true/>" : "<false/>", depth)
    case .date(let date):
      guard let text = PropertyListDate.text(date) else {
        throw PropertyListError(.unrepresentable, "an XML property list can only hold dates of the years 1 to 9999")
      }
      line("<date>\(text)</date>", depth)
    case .data(let data): line("<data>\(data.base64EncodedString())</data>", depth)
    case .uid:
      throw PropertyListError(.unrepresentable, "only a binary property list can hold a reference of a keyed archive")
    case .array(let elements):
      line("<array>", depth)
      for (index, element) in elements.enumerated() { try write(element, depth: depth + 1, in: "\(index)") }
      line("</array>", depth)
    case .dictionary(let members):
      line("<dict>", depth)
      for member in members {
        line("<key>\(try escaped(member.name))</key>", depth + 1)
        try write(member.value, depth: depth + 1, in: member.name)
      }
      line("</dict>", depth)
    }
  }

  /// Writes a value of a container; an error says which.
  private mutating func write(
    _ value: PropertyList, depth: Int, in place: @autoclosure () -> String
  ) throws(PropertyListError) {
    do { try write(value, depth: depth) } catch { throw error.inside(place()) }
  }

  private func escaped(_ text: String) throws(PropertyListError) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // A reader would turn an unescaped carriage return into a line feed (XML 1.0 §2.11).
      case "\r": escaped += "&#13;"
      default:
        guard XMLPropertyListReader.isCharacter(scalar) else {
          throw PropertyListError(.unrepresentable, "an XML property list cannot hold a control character")
        }
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
