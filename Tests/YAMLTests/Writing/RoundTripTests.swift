import CurlewYAML
import Testing

struct RoundTripTests {
  static let pieces = [
    "a", "b ", "\n", "\n\n", " ", "\t", ":", ": ", "#", " #", "- ", "-", "?", "? ", "'", "\"", "\\", "[", "]", "{", "}",
    ",",
    "|", ">", "%", "@", "`", "!", "&", "*", "~", "null", "yes", "1", "0x1F", "1.5", ".", "e5", "---", "...", "é",
    "\u{85}",
    "\u{2028}", "\u{FEFF}", "😀", "\0", "\u{7F}", "\u{9F}", "\r", "=", "<<", "2001-01-01", "1:30", "_", "\u{FFFF}",
    "\u{1FFFE}", "\u{10FFFF}", "a longer piece of text ",
  ]
  static let tags = ["!a", "tag:yaml.org,2002:binary", "tag:e.com,2000:y", "!é,[]", "!a!b", "x", "!<x>"]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private static func value(_ random: inout SeededGenerator, depth: Int) -> YAMLValue {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 9), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .int(YAMLInteger(Int64.random(in: .min ... .max, using: &random)))
    case 3: return .float(YAMLFloat(Double(bitPattern: random.next())))
    case 4: return .int(YAMLInteger(text: "-123456789012345678901234567890") ?? 0)
    case 5...8: return .string(text(&random))
    case 9, 10:
      return .sequence((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth - 1) })
    case 11, 12:
      var mapping = YAMLMapping()
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        mapping[value(&random, depth: depth - 2)] = value(&random, depth: depth - 1)
      }
      return .mapping(mapping)
    default:
      let tagged = YAMLTagged(tags.randomElement(using: &random) ?? "!a", value(&random, depth: depth - 1))
      return tagged.map(YAMLValue.tagged) ?? .null
    }
  }

  @Test(arguments: 0..<16) func `whatever the value and the format, text reads back as it`(_ run: UInt64) throws {
    var random = SeededGenerator(state: 0xFACE + run)
    for _ in 0..<60 {
      let value = Self.value(&random, depth: 4)
      for style in [YAMLFormat.Style.block, .flow] {
        var format = YAMLFormat(style)
        format.indentation = Int.random(in: 1...9, using: &random)
        format.startsDocuments = Bool.random(using: &random)
        let text = value.text(format)
        for schema in [YAMLSchema.core, .yaml11] {
          var options = YAMLParsingOptions()
          options.schema = schema
          #expect(try YAMLValue(parsing: text, options: options) == value, "\(text)")
        }
      }
    }
  }

  @Test(
    arguments: pieces + [
      "", "y", "n", "No", "1_000", "0o7", "012", "190:20:30", "- a", "-a", "a: b", "a:b", "a #b", "a#b", ".inf",
    ])
  func `strings stay strings`(text: String) throws {
    for schema in YAMLSchema.allCases {
      var options = YAMLParsingOptions()
      options.schema = schema
      for value in [.string(text), [.string(text)], [.string(text): .string(text)]] as [YAMLValue] {
        for format in [YAMLFormat.block, .flow] {
          #expect(try YAMLValue(parsing: value.text(format), options: options) == value, "\(value.text(format))")
        }
      }
    }
  }

  @Test func `every character below 300 and around the special ones survives`() throws {
    let scalars =
      (Array(0..<300)
        + [0x2027...0x202A, 0xD7FE...0xD7FF, 0xE000...0xE001, 0xFEFE...0xFF00, 0xFFFD...0x10001, 0x10FFFD...0x10FFFF]
        .joined())
    for scalar in scalars.compactMap({ Unicode.Scalar(UInt32($0)) }) {
      for text in [String(scalar), "a\(scalar)b", "\(scalar)a", "a\n\(scalar)\nb"] {
        #expect(
          try YAMLValue(parsing: YAMLValue.string(text).text()).stringValue == text,
          "U+\(String(scalar.value, radix: 16))")
      }
    }
  }
}
