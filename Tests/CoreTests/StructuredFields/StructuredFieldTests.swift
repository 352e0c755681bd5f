import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

struct StructuredFieldTests {
  typealias Field = StructuredField

  private func failure<Value: Field.FieldValue>(
    _ text: String, as type: Value.Type, limits: Field.Limits = Field.Limits()
  ) -> Field.ParseError? {
    do throws(Field.ParseError) {
      _ = try Value(parsing: text, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("", 0, Field.ParseError.Kind.unexpectedEnd),
    ("1 2", 2, .unexpectedByte(0x32)),
    ("\"a\\b\"", 3, .unexpectedByte(0x62)),
    ("\"abc", 4, .unexpectedEnd),
    ("\"é\"", 1, .unexpectedByte(0xC3)),
    ("1234567890123456", 15, .numberTooLong),
    ("1234567890123.1", 13, .numberTooLong),
    ("1.1234", 5, .numberTooLong),
    ("1.", 2, .unexpectedEnd),
    ("-a", 1, .unexpectedByte(0x61)),
    (":aGVsbG8==:", 8, .invalidBase64),
    (":a:", 2, .invalidBase64),
    ("?2", 1, .unexpectedByte(0x32)),
    ("@1.5", 2, .unexpectedByte(0x2E)),
    ("%\"%c3\"", 0, .invalidUTF8),
    ("%\"%C3\"", 3, .unexpectedByte(0x43)),
    ("a;B", 2, .unexpectedByte(0x42)),
  ])
  func `an item that is malformed is refused at the byte that is wrong`(
    text: String, position: Int, kind: Field.ParseError.Kind
  ) {
    let error = failure(text, as: Field.Item.self)
    #expect(error?.kind == kind)
    #expect(error?.position == position)
  }

  @Test func `a value that cannot be written is described in a sentence`() throws {
    let item = Field.Item(.integer(1_000_000_000_000_000))
    let error = try #require(throws: Field.SerializationError.self) { try item.serialized() }
    #expect("\(error)" == "The integer 1000000000000000 has more than the 15 digits of RFC 9651 §3.3.1.")
  }

  @Test func `a comma at the end is refused at the comma`() {
    #expect(failure("a, b, ", as: Field.List.self) == failure("a, b,", as: Field.List.self))
    #expect(failure("a, b,", as: Field.List.self)?.kind == .trailingComma)
    #expect(failure("a, b,", as: Field.List.self)?.position == 4)
    #expect(failure("a=1,", as: Field.Dictionary.self)?.kind == .trailingComma)
  }

  @Test func `lines of a list join between members and an error is counted in the joined text`() throws {
    let list = try Field.List(parsingLines: ["a, b", "(c d)"])
    #expect(list.members.count == 3)
    #expect(list.members.last?.innerList?.items == [Field.Item(.token("c")), Field.Item(.token("d"))])
    #expect(throws: Field.ParseError.self) { try Field.List(parsingLines: ["a", "", "b"]) }
    do {
      _ = try Field.List(parsingLines: ["ab", "!"])
      Issue.record("a lone ! was taken")
    } catch {
      #expect(error.position == 4)
    }
  }

  @Test func `a limit refuses the first thing beyond it and nothing at it`() throws {
    let ten = Array(repeating: "a", count: 10)
    let inner = "(" + ten.joined(separator: " ") + ")"
    let keys = (0..<10).map { "k\($0)" }
    let parameters = "a;" + keys.joined(separator: ";")
    let limits = { (most: Int) in Field.Limits(members: most, innerListItems: most, parameters: most) }

    #expect(failure(ten.joined(separator: ","), as: Field.List.self, limits: limits(10)) == nil)
    #expect(failure(ten.joined(separator: ","), as: Field.List.self, limits: limits(9))?.kind == .tooManyMembers)
    #expect(failure(keys.joined(separator: ","), as: Field.Dictionary.self, limits: limits(10)) == nil)
    #expect(failure(keys.joined(separator: ","), as: Field.Dictionary.self, limits: limits(9))?.kind == .tooManyMembers)
    #expect(failure(inner, as: Field.List.self, limits: limits(10)) == nil)
    #expect(failure(inner, as: Field.List.self, limits: limits(9))?.kind == .tooManyInnerListItems)
    #expect(failure(parameters, as: Field.Item.self, limits: limits(10)) == nil)
    #expect(failure(parameters, as: Field.Item.self, limits: limits(9))?.kind == .tooManyParameters)
    #expect(failure("12345", as: Field.Item.self, limits: Field.Limits(totalBytes: 5)) == nil)
    #expect(failure("12345", as: Field.Item.self, limits: Field.Limits(totalBytes: 4))?.kind == .tooManyBytes)
  }

  @Test func `the defaults take what RFC 9651 requires every implementation to take`() throws {
    let members = (0..<1024).map { "k\($0)" }.joined(separator: ", ")
    #expect(try Field.Dictionary(parsing: members).count == 1024)
    #expect(try Field.List(parsing: members).members.count == 1024)
    let bytes = Data(repeating: 7, count: 16_384)
    let text = try Field.Item(.byteSequence(bytes)).serialized()
    #expect(try Field.Item(parsing: text).value == .byteSequence(bytes))
  }

  @Test(arguments: [
    Field.BareItem.integer(1_000_000_000_000_000), .integer(.min), .date(-1_000_000_000_000_000), .string("ü"),
    .string("\n"), .token(""), .token("1a"), .token("a b"), .decimal(Field.Decimal(thousandths: .min)),
  ])
  func `what cannot be written throws`(value: Field.BareItem) {
    #expect(throws: Field.SerializationError.self) { try Field.Item(value).serialized() }
    #expect(throws: Field.SerializationError.self) {
      try Field.Item(.integer(1), parameters: ["a": value]).serialized()
    }
  }

  @Test(arguments: ["", "A", "1", "-a", "a b", "ä"])
  func `a key outside the grammar is not written`(key: String) {
    #expect(throws: Field.SerializationError.invalidKey(key)) {
      try Field.Dictionary(dictionaryLiteral: (key, .item(Field.Item(.integer(1))))).serialized()
    }
  }

  @Test func `a decimal rounds halves to even and refuses what has too many digits`() throws {
    #expect(Field.Decimal(0.0025)?.thousandths == 2)
    #expect(Field.Decimal(-1.5)?.thousandths == -1500)
    #expect(Field.Decimal(1e12) == nil)
    #expect(Field.Decimal(.nan) == nil)
    #expect(Field.Decimal(.infinity) == nil)
    #expect(try Field.Item(.decimal(Field.Decimal(thousandths: -50))).serialized() == "-0.05")
    #expect(try Field.Item(.decimal(Field.Decimal(thousandths: 2000))).serialized() == "2.0")
  }

  @Test func `a display string escapes what is not printable, in two lower-case digits`() throws {
    let item = Field.Item(.displayString("a\n%\"é\u{7F}"))
    #expect(try item.serialized() == #"%"a%0a%25%22%c3%a9%7f""#)
    #expect(try Field.Item(parsing: item.serialized()) == item)
  }

  @Test func `a map keeps the order of first mention through replacing and removing`() {
    var map: Field.Parameters = ["a": .integer(1), "b": .integer(2), "c": .integer(3)]
    map["a"] = .integer(9)
    #expect(map.map(\.key) == ["a", "b", "c"])
    map["a"] = nil
    map["x"] = nil
    #expect(map.map(\.key) == ["b", "c"])
    #expect(map["c"] == .integer(3))
    map["a"] = .integer(1)
    #expect(map.map(\.key) == ["b", "c", "a"])
    #expect(map != ["c": .integer(3), "b": .integer(2), "a": .integer(1)])
  }

  @Test func `a field is read from all its lines and replaced as a whole`() throws {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .priority, value: "u=1"))
    fields.append(HTTPField(name: .priority, value: "i"))
    let priority = try fields.structured(.priority, as: Field.Dictionary.self)
    #expect(priority?["u"]?.item?.value == .integer(1))
    #expect(priority?["i"]?.item?.value == .boolean(true))
    #expect(try fields.structured(.accept, as: Field.List.self) == nil)
    try fields.setStructured(Field.Dictionary(), for: .priority)
    #expect(fields[.priority] == nil)
    try fields.setStructured(Field.List([.item(Field.Item(.token("a")))]), for: .priority)
    #expect(fields[.priority] == "a")
  }

  @Test func `no bytes trap, and what is read is written and read again the same`() throws {
    var source = FieldFuzz(seed: 9651, near: [])
    let vocabulary = [
      "a", "*k", "(", ")", ";", "=", ",", ", ", " ", "\t", "\"", "\\", ":", "?1", "?0", "@", "%\"", "%c3%bc", "-", "1",
      "23.4", ".", "aGVsbG8=", "tok/en", "\"text\"", "999999999999999", "k=1", "(a b)",
    ]
    var read = 0
    for _ in 0..<100_000 {
      let bytes = source.bytes(from: vocabulary, pieces: 12)
      if try survives(bytes, as: Field.Item.self) { read += 1 }
      if try survives(bytes, as: Field.List.self) { read += 1 }
      if try survives(bytes, as: Field.Dictionary.self) { read += 1 }
    }
    #expect(read > 10_000)
  }

  private func survives<Value: Field.FieldValue>(_ bytes: [UInt8], as type: Value.Type) throws -> Bool {
    let value: Value
    do throws(Field.ParseError) {
      value = try Value(parsing: bytes, limits: Field.Limits())
    } catch {
      #expect((0...bytes.count).contains(error.position))
      return false
    }
    #expect(try Value(parsing: value.serialized()) == value)
    return true
  }
}
