/// Lays out canonical JSON for a terminal: a line for each member and element, and colors.
///
/// It takes the text in pieces. Text that is not JSON comes out with other spaces and colors, but with all its characters.
struct JSONLayout {
  private static let names = "\u{1B}[34m"
  private static let strings = "\u{1B}[32m"
  private static let others = "\u{1B}[36m"
  private static let plain = "\u{1B}[0m"

  private let isColored: Bool
  /// Whether each open container is an object, outermost first.
  private var containers: [Bool] = []
  /// Whether a container was just opened; an empty one is closed on the same line.
  private var isOpening = false
  private var isName = false
  private var isInString = false
  private var isEscaped = false
  private var isInLiteral = false

  /// - Parameter isColored: Whether to color names, strings and other values.
  init(isColored: Bool) { self.isColored = isColored }

  /// Adds a piece of the text to the output.
  mutating func append(_ text: String, to output: inout [UInt8]) {
    for byte in text.utf8 { append(byte, to: &output) }
  }

  private mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
    if isInString {
      output.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        color(Self.plain, &output)
      }
      return
    }
    switch byte {
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      endLiteral(&output)
      if !containers.isEmpty { containers.removeLast() }
      if !isOpening { breakLine(&output) }
      isOpening = false
      output.append(byte)
    case UInt8(ascii: ","):
      endLiteral(&output)
      output.append(byte)
      breakLine(&output)
      isName = containers.last ?? false
    case UInt8(ascii: ":"):
      output.append(contentsOf: ": ".utf8)
      isName = false
    case UInt8(ascii: "\n"):
      endLiteral(&output)
      output.append(byte)
    default:
      if isOpening { breakLine(&output) }
      isOpening = false
      begin(byte, &output)
    }
  }

  /// Adds the first byte of a value or a name, or one more of a number or a literal.
  private mutating func begin(_ byte: UInt8, _ output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      containers.append(byte == UInt8(ascii: "{"))
      isOpening = true
      isName = byte == UInt8(ascii: "{")
    case UInt8(ascii: "\""):
      isInString = true
      color(isName ? Self.names : Self.strings, &output)
    default:
      if !isInLiteral { color(Self.others, &output) }
      isInLiteral = true
    }
    output.append(byte)
  }

  private mutating func endLiteral(_ output: inout [UInt8]) {
    if isInLiteral { color(Self.plain, &output) }
    isInLiteral = false
  }

  private func breakLine(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * containers.count))
  }

  private func color(_ code: String, _ output: inout [UInt8]) {
    if isColored { output.append(contentsOf: code.utf8) }
  }
}
