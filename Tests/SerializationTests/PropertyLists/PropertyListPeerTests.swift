import CurlewSerialization
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

/// How many values are generated; `Scripts/format-peers` sets the full number.
private let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 300

/// Random lists, written for plistlib to read, and read as plistlib wrote them.
@Suite(.enabled(if: FormatJudge.isAvailable, "Python is not installed"))
struct PropertyListPeerTests {
  private struct Record: Encodable {
    var value: Plain
    var xml: Data?
    var binary: Data
  }

  private struct Written: Decodable {
    var xml: Data?
    var binary: Data
  }

  /// A list as the judge has it.
  private struct Plain: Encodable {
    let list: PropertyList

    private struct Member: Encodable {
      var member: PropertyList.Member

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(member.name)
        try container.encode(Plain(list: member.value))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: JudgeKey.self)
      switch list {
      case .string(let text): try container.encode(text, forKey: .string)
      case .integer(let number): try container.encode("\(number)", forKey: .integer)
      case .real(let number):
        let digits = String(number.bitPattern, radix: 16)
        let text = number.isNaN ? "nan" : String(repeating: "0", count: 16 - digits.count) + digits
        try container.encode(text, forKey: .real)
      case .bool(let value): try container.encode(value, forKey: .bool)
      case .date(let date):
        try container.encode("\(Int64(date.timeIntervalSinceReferenceDate))", forKey: .date)
      case .data(let data): try container.encode(data, forKey: .data)
      case .uid(let number): try container.encode("\(number)", forKey: .uid)
      case .array(let elements): try container.encode(elements.map { Plain(list: $0) }, forKey: .array)
      case .dictionary(let members):
        try container.encode(members.map { Member(member: $0) }, forKey: .dictionary)
      }
    }
  }

  private enum JudgeKey: String, CodingKey {
    case string, integer, real, bool, date, data, uid, array, dictionary
  }

  /// The first value that is not the same in both lists, as it was written and read; nil where all are.
  ///
  /// One NaN is like another. 0.0 and -0.0 are alike too: plistlib keeps equal numbers of a binary list once, and they
  /// are equal in Python.
  private static func difference(_ written: PropertyList, _ read: PropertyList) -> String? {
    switch (written, read) {
    case (.array(let one), .array(let other)) where one.count == other.count:
      return zip(one, other).lazy.compactMap { difference($0, $1) }.first
    case (.dictionary(let one), .dictionary(let other))
    where one.map({ Array($0.name.utf8) }) == other.map({ Array($0.name.utf8) }):
      return zip(one, other).lazy.compactMap { difference($0.value, $1.value) }.first
    case (.real(let one), .real(let other)) where one.isNaN && other.isNaN: return nil
    case (.string(let one), .string(let other)) where !one.utf8.elementsEqual(other.utf8):
      return "\(Array(one.utf8)), which was read as \(Array(other.utf8))"
    case (.date(let one), .date(let other)) where one != other:
      return "the date \(one.timeIntervalSinceReferenceDate), which was read as \(other.timeIntervalSinceReferenceDate)"
    default: return written == read ? nil : "\(written), which was read as \(read)"
    }
  }

  @Test func `random lists are read alike`() async throws {
    var random = ListGenerator(state: 3)
    var lists: [PropertyList] = []
    var records: [Record] = []
    for _ in 0..<rounds {
      random.hasReferences = Int.random(in: 0...7, using: &random) == 0
      let list = random.list(depth: 0)
      lists.append(list)
      let xml = random.hasReferences ? nil : try list.data(.xml)
      records.append(Record(value: Plain(list: list), xml: xml, binary: try list.data(.binary)))
    }
    let (isRight, words, lines) = try await FormatJudge.judge("plist", records)
    #expect(isRight, "\(words)")
    #expect(lines.count == lists.count)
    for (line, list) in zip(lines, lists) {
      let written = try JSONDecoder().decode(Written.self, from: line)
      for bytes in [written.xml, written.binary].compactMap(\.self) {
        let read = try PropertyList(parsing: bytes)
        if let difference = Self.difference(list, read) { Issue.record("plistlib wrote \(difference)") }
      }
    }
  }
}

/// Random queries, written for Python's `parse_qsl` to read.
@Suite(.enabled(if: FormatJudge.isAvailable, "Python is not installed"))
struct QueryPeerTests {
  private struct Record: Encodable {
    var document: String
    var pairs: [[String]]
  }

  @Test func `random names and values are read alike`() async throws {
    var random = ListGenerator(state: 9)
    var records: [Record] = []
    for _ in 0..<rounds {
      var encoding = Bool.random(using: &random) ? QueryEncoding() : .html
      encoding.order = .source
      encoding.nulls = Bool.random(using: &random) ? .emptyValue : .nameAlone
      var members: [Parameters.Member] = []
      var pairs: [[String]] = []
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let (name, value) = (random.text(), random.text())
        let isNull = Int.random(in: 0...5, using: &random) == 0
        members.append(Parameters.Member(name, isNull ? .null : .string(value)))
        pairs.append([name, isNull ? "" : value])
      }
      records.append(Record(document: try encoding.string(.object(members)), pairs: pairs))
    }
    let (isRight, words, _) = try await FormatJudge.judge("form", records)
    #expect(isRight, "\(words)")
  }
}

/// Makes lists of every kind of value.
private struct ListGenerator: RandomNumberGenerator {
  var state: UInt64
  /// Whether references of keyed archives, which only binary lists have, may occur.
  var hasReferences = false
  private static let texts = [
    "", "a", "b", " ", "\n", "\t", "&<>\"'", "]]>", "é", "e\u{301}", "😀", "\u{85}", "%", "+", "=", "[", "]", "日本",
    "%41",
    "a=b&c", "\u{7F}", "/?", "~", ";",
  ]

  init(state: UInt64) { self.state = state }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mix = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mix = (mix ^ (mix >> 27)) &* 0x94D0_49BB_1331_11EB
    return mix ^ (mix >> 31)
  }

  mutating func text() -> String {
    (0..<Int.random(in: 0...4, using: &self)).map { _ in Self.texts.randomElement(using: &self) ?? "" }.joined()
  }

  mutating func list(depth: Int) -> PropertyList {
    switch Int.random(in: 0...(depth < 4 ? 9 : 6), using: &self) {
    case 0: return .string(text())
    case 1:
      let bits = Int.random(in: 0...63, using: &self)
      let number = Int128(next() >> UInt64(bits))
      return .integer(Bool.random(using: &self) && number <= Int128(Int64.max) ? -number : number)
    case 2:
      let numbers = [0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 1e16, 123456.789]
      let drawn = Double(bitPattern: next())
      return .real(Bool.random(using: &self) ? numbers.randomElement(using: &self) ?? 0 : drawn.isNaN ? 1 : drawn)
    case 3: return .bool(Bool.random(using: &self))
    case 4:
      // The years 1 to 9999, which datetime holds.
      let seconds = Int64.random(in: -63_113_904_000...252_423_993_599, using: &self)
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case 5:
      return .data(
        Data((0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }))
    case 6: return hasReferences ? .uid(UInt64(UInt32.random(in: 0...UInt32.max, using: &self))) : .string(text())
    case 7:
      let isLong = Int.random(in: 0...20, using: &self) == 0
      return .array((0..<Int.random(in: 0...(isLong ? 40 : 4), using: &self)).map { _ in list(depth: depth + 1) })
    default:
      var members: [PropertyList.Member] = []
      var seen: Set<[UInt8]> = []
      for _ in 0..<Int.random(in: 0...4, using: &self) {
        let name = text()
        if seen.insert(Array(name.utf8)).inserted { members.append(.init(name, list(depth: depth + 1))) }
      }
      return .dictionary(members)
    }
  }
}
