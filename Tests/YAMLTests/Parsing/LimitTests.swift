import CurlewYAML
import Glibc
import Testing

struct LimitTests {
  private func kind(_ text: String, _ change: (inout YAMLParsingOptions) -> Void = { _ in }) -> YAMLError.Kind? {
    var options = YAMLParsingOptions()
    change(&options)
    do {
      _ = try YAMLValue.documents(parsing: text, options: options)
      return nil
    } catch {
      return error.kind
    }
  }

  /// Text that Swift takes very long to compare.
  private static let marks = String(repeating: "\u{301}\u{316}", count: 1_000)
  private static let escapedMarks = String(repeating: "%CC%81%CC%96", count: 1_000)

  @Test(arguments: [
    "? a\(LimitTests.marks)\n: 1", "{? a\(LimitTests.marks) : 1}", "? \"a\(LimitTests.marks)\"\n: 1",
    "? !x a\(LimitTests.marks)\n: 1", "[&a a\(LimitTests.marks), {*a : 1}]", "!a\(LimitTests.escapedMarks) 1",
    "!a\(LimitTests.escapedMarks) [1]", "!a\(LimitTests.escapedMarks) {a: 1}",
  ])
  func `a key or a tag with more than 1,024 combining marks in a row is refused`(text: String) {
    #expect(kind(text) == .tooManyMarks)
  }

  @Test func `a value may have them, but no type gets it`() throws {
    let value = try YAMLValue(parsing: "a: b\(Self.marks)")
    #expect(throws: DecodingError.self) { try YAMLValueDecoder().decode([String: String].self, from: value) }
  }

  /// Nine anchors of nine aliases each.
  static let bomb =
    (0..<9).reduce(into: "a: &a [x,x,x,x,x,x,x,x,x]\n") { text, level in
      let names = Array("abcdefghij")
      text +=
        "\(names[level + 1]): &\(names[level + 1]) ["
        + repeatElement("*\(names[level])", count: 9).joined(separator: ",")
      text += "]\n"
    }

  @Test func `an alias bomb is refused at once`() throws {
    let start = Self.threadSeconds
    let error = #expect(throws: YAMLError.self) { try YAMLValue(parsing: Self.bomb) }
    #expect(error?.kind == .tooManyExpandedNodes)
    #expect(Self.threadSeconds - start < 0.05)
  }

  /// Processor time, which other tests do not add to.
  private static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `aliases share what they refer to`() throws {
    let text = Self.bomb.split(separator: "\n").prefix(5).joined(separator: "\n")
    let value = try YAMLValue(parsing: text)
    #expect(value["e"]?[8]?[8]?[8]?[8] == value["a"])
    #expect(value == (try YAMLValue(parsing: text)))
  }

  @Test func `aliases and what they add are counted`() {
    #expect(kind("[&a x, *a, *a]") { $0.maximumAliases = 2 } == nil)
    #expect(kind("[&a x, *a, *a, *a]") { $0.maximumAliases = 2 } == .tooManyAliases)
    // Each alias adds three nodes.
    #expect(kind("[&a [x, y], *a, *a]") { $0.maximumExpandedNodes = 6 } == nil)
    #expect(kind("[&a [x, y], *a, *a]") { $0.maximumExpandedNodes = 5 } == .tooManyExpandedNodes)
  }

  @Test func `without a limit of the app, what aliases add is still counted without an overflow`() {
    // Each level has twice the nodes and bytes of the one before: 2 to the 80th in the end.
    let levels = (0..<80).map { "- &a\($0 + 1) [*a\($0), *a\($0)]\n" }
    #expect(
      kind("- &a0 [text]\n" + levels.joined()) { options in
        options.maximumBytes = .max
        options.maximumAliases = .max
        options.maximumExpandedNodes = .max
        options.maximumExpandedBytes = .max
        options.maximumNumberBytes = .max
        options.maximumDepth = .max
      } == .tooManyExpandedNodes)
  }

  @Test func `depth is counted through aliases`() {
    #expect(kind("[[[]]]") { $0.maximumDepth = 3 } == nil)
    #expect(kind("[[[]]]") { $0.maximumDepth = 2 } == .tooDeep)
    #expect(kind("x") { $0.maximumDepth = 0 } == nil)
    #expect(kind("- &a [[x]]\n- [[*a]]") { $0.maximumDepth = 5 } == nil)
    #expect(kind("- &a [[x]]\n- [[*a]]") { $0.maximumDepth = 4 } == .tooDeep)
    #expect(kind("- &a [[x]]\n- &b [*a]\n- [*b]") { $0.maximumDepth = 4 } == .tooDeep)
    #expect(kind("- &a [[x]]\n- &b [*a]\n- [*b]") { $0.maximumDepth = 5 } == nil)
  }

  @Test(arguments: ["[", "- ", "? ", "{a: "]) func `nesting of 100,000 levels is refused`(opening: String) {
    let error = kind(String(repeating: opening, count: 100_000))
    #expect(error == .tooDeep || error == .syntax)
  }

  @Test(arguments: ["[", "{a: "]) func `the greatest depth is parsed, written, compared and released`(
    opening: String
  ) throws {
    var options = YAMLParsingOptions()
    options.maximumDepth = 1 << 30
    #expect(options.maximumDepth == YAMLParsingOptions.greatestDepth)
    let closing = opening == "[" ? "]" : "}"
    let depth = YAMLParsingOptions.greatestDepth
    // A line each, as keys are looked for within 1,024 characters of a line.
    let text = String(repeating: opening + "\n", count: depth) + String(repeating: closing, count: depth)
    let value = try YAMLValue(parsing: text, options: options)
    #expect(value.hashValue == (try YAMLValue(parsing: text, options: options)).hashValue)
    #expect(value == (try YAMLValue(parsing: text, options: options)))
    #expect(value.text(.flow).utf8.count > depth)
  }

  @Test func `a text beyond the limit is refused`() {
    #expect(kind("a: 1") { $0.maximumBytes = 4 } == nil)
    #expect(kind("a: 1") { $0.maximumBytes = 3 } == .tooManyBytes)
  }

  @Test func `tag directives without end are refused`() {
    let directives = (0..<1002).map { "%TAG !e\($0)! tag:e.com,2000:\n" }.joined()
    #expect(kind(directives + "--- x") == .tooManyDirectives)
    #expect(kind("%TAG !e! tag:e.com,2000:\n--- !e!x y") == nil)
  }

  @Test func `keys that are collections do not collide`() throws {
    let keys = (0..<3000).map { "? [[[[[[\($0)]]]]]]\n: {a: {b: \($0)}}\n" }.joined()
    #expect(try YAMLValue(parsing: keys).mappingValue?.count == 3000)
    let mappings = (0..<3000).map { "? {a: {b: \($0)}}\n: 1\n" }.joined()
    #expect(Set(try #require(YAMLValue(parsing: mappings).mappingValue).map(\.key.hashValue)).count > 2900)
  }
}
