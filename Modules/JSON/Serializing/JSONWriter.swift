public import FoundationEssentials

/// Writes values as JSON text, without recursion.
struct JSONWriter {
  private struct Frame {
    let container: JSONValue
    var next = 0
    let count: Int
  }

  private let format: JSONFormat
  private(set) var bytes: [UInt8] = []
  private var frames: [Frame] = []

  init(_ format: JSONFormat) {
    self.format = format
  }

  mutating func write(_ root: JSONValue) {
    begin(root)
    while let top = frames.indices.last {
      let frame = frames[top]
      guard frame.next < frame.count else {
        frames.removeLast()
        breakLine()
        if case .array = frame.container { bytes.append(UInt8(ascii: "]")) } else { bytes.append(UInt8(ascii: "}")) }
        continue
      }
      frames[top].next += 1
      if frame.next > 0 { bytes.append(UInt8(ascii: ",")) }
      breakLine()
      switch frame.container {
      case .array(let elements):
        begin(elements[frame.next])
      case .object(let object):
        let member = object.members[frame.next]
        write(member.name)
        bytes.append(UInt8(ascii: ":"))
        if format.indentation != nil { bytes.append(UInt8(ascii: " ")) }
        begin(member.value)
      default: break
      }
    }
  }

  /// Writes a scalar, or opens a container.
  private mutating func begin(_ value: JSONValue) {
    switch value {
    case .null: write("null" as StaticString)
    case .bool(let value): write(value ? "true" as StaticString : "false" as StaticString)
    case .number(let number): write(number)
    case .string(let text): write(text)
    case .array(let elements):
      if elements.isEmpty { return write("[]" as StaticString) }
      bytes.append(UInt8(ascii: "["))
      frames.append(Frame(container: value, count: elements.count))
    case .object(let object):
      if object.isEmpty { return write("{}" as StaticString) }
      bytes.append(UInt8(ascii: "{"))
      let container = format.memberOrder == .sorted ? JSONValue.object(object.sortedByName) : value
      frames.append(Frame(container: container, count: object.count))
    }
  }

  private mutating func breakLine() {
    guard let indentation = format.indentation else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(indentation, 0) * frames.count))
  }

  private mutating func write(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func write(_ number: JSONNumber) {
    switch number.storage {
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .decimal(let significand, let layout):
      layout.spell(significand) { bytes.append($0) }
    }
  }

  /// Writes a string with only the escapes that RFC 8259 §7 requires.
  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { input in
      var runStart = 0
      for offset in input.indices where Self.needsEscape(input[offset]) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[runStart..<offset]))
        escape(input[offset])
        runStart = offset + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[runStart...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      write("u00" as StaticString)
      bytes.append(UInt8(ascii: "0") + byte >> 4)
      let low = byte & 15
      bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    default: bytes.append(byte)
    }
  }
}

extension JSONObject {
  /// The same members, sorted by the UTF-16 code units of their names.
  fileprivate var sortedByName: JSONObject {
    let sorted = members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    return JSONObject(members: sorted, index: NameIndex())
  }
}

/// The layout of JSON text.
public struct JSONFormat: Sendable, Hashable {
  /// The order of an object's members in the text.
  public enum MemberOrder: Sendable, Hashable {
    /// The order of the object itself.
    case source
    /// By the UTF-16 code units of their names (RFC 8785 §3.2.3).
    case sorted
  }

  /// The indentation per level in spaces; nil writes a single line.
  public var indentation: Int?

  /// The order of members; that of the object by default.
  public var memberOrder: MemberOrder

  /// Creates a format; by default one line without spaces.
  public init(indentation: Int? = nil, memberOrder: MemberOrder = .source) {
    self.indentation = indentation
    self.memberOrder = memberOrder
  }

  /// One line without spaces, members in source order.
  ///
  /// Numbers keep their digits, and only mandatory escapes are written.
  public static let canonical = JSONFormat()

  /// One line without spaces, members sorted by name.
  public static let sorted = JSONFormat(memberOrder: .sorted)

  /// Indented by two spaces, members in source order.
  public static let pretty = JSONFormat(indentation: 2)
}

extension JSONValue {
  /// Returns the value as JSON text in UTF-8, without a final line break.
  ///
  /// Every value can be written. A parsed value written as ``JSONFormat/canonical`` represents the same document:
  /// members in source order, numbers digit for digit, strings with only the mandatory escapes (RFC 8259 §7). Stack use
  /// does not grow with the depth.
  public func data(_ format: JSONFormat = .canonical) -> Data {
    Data(bytes(format))
  }

  /// Returns the value as JSON text, without a final line break; see ``data(_:)``.
  public func text(_ format: JSONFormat = .canonical) -> String {
    String(decoding: bytes(format), as: UTF8.self)
  }

  private func bytes(_ format: JSONFormat) -> [UInt8] {
    var writer = JSONWriter(format)
    writer.write(self)
    return writer.bytes
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as canonical JSON text on one line.
  public var description: String { text() }
}

extension JSONObject: CustomStringConvertible {
  /// The object as canonical JSON text on one line.
  public var description: String { JSONValue.object(self).text() }
}
