import CurlewJSON
import Testing

struct LimitTests {
  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private func kind(_ text: String, _ change: (inout JSONParsingOptions) -> Void = { _ in }) -> JSONError.Kind? {
    var options = JSONParsingOptions()
    change(&options)
    do {
      _ = try JSONValue(parsing: text, options: options)
      return nil
    } catch {
      return error.kind
    }
  }

  /// Text that Swift takes very long to compare.
  private static let marks = String(repeating: "\u{301}\u{316}", count: 1_000)

  @Test func `a name with more than 1,024 combining marks in a row is refused, a value is not`() {
    #expect(kind("{\"a\(Self.marks)\":1}") == .tooManyMarks)
    #expect(kind("{\"a\(String(repeating: "\\u0301\\u0316", count: 1_000))\":1}") == .tooManyMarks)
    #expect(kind("{\"a\":\"a\(Self.marks)\"}") == nil)
  }

  private enum Colour: String, Decodable { case red }

  @Test func `a type gets no text with more than 1,024 combining marks in a row`() throws {
    let value = JSONValue.string("a" + Self.marks)
    var decoder = JSONValueDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+", negativeInfinity: "-", nan: "n")
    #expect(throws: DecodingError.self) { try decoder.decode(Colour.self, from: value) }
    #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: value) }
    #expect(throws: DecodingError.self) { try decoder.decode([String].self, from: [value]) }
    #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: value) }
    #expect(try decoder.decode(JSONValue.self, from: value) == value)
  }

  @Test func `512 levels are read and 513 refused`() {
    #expect(kind(nested(512)) == nil)
    #expect(kind(nested(513)) == .tooDeep)
  }

  @Test func `the depth limit can be set up to 4096 and down to none`() {
    #expect(kind(nested(4096)) { $0.maximumDepth = .max } == nil)
    #expect(kind(nested(4097)) { $0.maximumDepth = .max } == .tooDeep)
    #expect(kind("1") { $0.maximumDepth = 0 } == nil)
    #expect(kind("{}") { $0.maximumDepth = -5 } == .tooDeep)
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":", "[[],"])
  func `a bomb of a hundred thousand brackets is refused at the limit`(_ bracket: String) {
    let bomb = String(repeating: bracket, count: 100_000)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bomb) }
    #expect(error?.kind == .tooDeep)
    #expect(error.map { $0.offset <= 512 * bracket.utf8.count } == true)
  }

  @Test func `a document, string or number beyond its limit is refused`() {
    #expect(kind("[1]") { $0.maximumBytes = 3 } == nil)
    #expect(kind("[1] ") { $0.maximumBytes = 3 } == .tooManyBytes)
    #expect(kind("\"abc\"") { $0.maximumStringBytes = 3 } == nil)
    #expect(kind("\"abcd\"") { $0.maximumStringBytes = 3 } == .stringTooLong)
    #expect(kind("{\"abcd\":1}") { $0.maximumStringBytes = 3 } == .stringTooLong)
    #expect(kind("-12.5e3") { $0.maximumNumberBytes = 7 } == nil)
    #expect(kind("-12.5e34") { $0.maximumNumberBytes = 7 } == .numberTooLong)
    #expect(kind(String(repeating: "1", count: 4096)) == nil)
    #expect(kind(String(repeating: "1", count: 4097)) == .numberTooLong)
  }

  @Test func `objects as deep as the limit are compared, hashed, written and stripped of nulls`() throws {
    var options = JSONParsingOptions()
    options.maximumDepth = 4096
    let text = String(repeating: "{\"a\":", count: 4096) + "null" + String(repeating: "}", count: 4096)
    let value = try JSONValue(parsing: text, options: options)
    let again = try JSONValue(parsing: text, options: options)
    #expect(value == again)
    #expect(value.hashValue == again.hashValue)
    #expect(value.text() == text)
    #expect(value.removingNulls() != value)
  }
}
