import CurlewCore
import Testing

struct RangeFieldTests {
  @Test(
    arguments: [
      ("bytes=0-499", [0..<500]), ("bytes=-500", [9500..<10000]), ("bytes=9500-", [9500..<10000]),
      ("bytes=0-0,-1", [0..<1, 9999..<10000]), ("Bytes= 0-999 ,, 4500-5499,", [0..<1000, 4500..<5500]),
      ("bytes=9999-99999999999999999999999", [9999..<10000]), ("bytes=-99999999999999999999", [0..<10000]),
      ("bytes=10000-", []), ("bytes=-0", []), ("bytes=99999999999999999999-,5-5", [5..<6]),
    ] as [(String, [Range<Int64>])])
  func `ranges resolve against a length of 10000`(text: String, expected: [Range<Int64>]) throws {
    #expect(try ByteRangeSet(text).resolved(length: 10_000) == expected)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-2-3", "bytes=1", "bytes=0x1-2",
    "bytes =1-2", "bytes=1 -2", "bytes=+1-2", "bytes=0-1;q=1",
  ])
  func `what is no range is malformed`(text: String) {
    let error = #expect(throws: FieldError.self) { try ByteRangeSet(text) }
    #expect(error?.kind == .malformed)
  }

  @Test func `another unit is told apart`() {
    let error = #expect(throws: FieldError.self) { try ByteRangeSet("seconds=1-2") }
    #expect(error?.kind == .unsupportedUnit)
  }

  @Test func `more ranges than the limit are refused`() throws {
    let text = "bytes=" + Array(repeating: "0-", count: 65).joined(separator: ",")
    let error = #expect(throws: FieldError.self) { try ByteRangeSet(text) }
    #expect(error?.kind == .tooMany)
    #expect(try ByteRangeSet(text, limit: 65).ranges.count == 65)
  }

  @Test func `ranges are made of numbers that fit and written`() {
    #expect(ByteRange(first: 5, last: 4) == nil)
    #expect(ByteRange(first: -1, last: 4) == nil)
    #expect(ByteRange(from: -1) == nil)
    #expect(ByteRange(suffix: -1) == nil)
    #expect(ByteRange(3..<3) == nil)
    #expect(ByteRange(0..<500).map { ByteRangeSet($0).description } == "bytes=0-499")
    #expect(ByteRangeSet([]) == nil)
    let ranges = [ByteRange(first: 1, last: 2), ByteRange(from: 9), ByteRange(suffix: 3)].compactMap(\.self)
    #expect(ByteRangeSet(ranges)?.description == "bytes=1-2,9-,-3")
  }

  @Test func `the edges of lengths and of 64 bits are safe`() {
    #expect(ByteRange(first: 0, last: .max)?.resolved(length: .max) == 0..<Int64.max)
    #expect(ByteRange(from: .max)?.resolved(length: .max) == nil)
    #expect(ByteRange(suffix: .max)?.resolved(length: 3) == 0..<3)
    #expect(ByteRange(suffix: 1)?.resolved(length: 0) == 0..<0)
    #expect(ByteRange(from: 0)?.resolved(length: 0) == nil)
    #expect(ByteRange(from: 0)?.resolved(length: -1) == nil)
  }

  @Test(
    arguments: [
      ("bytes 42-1233/1234", 42, 1234, 1234), ("bytes 0-0/*", 0, 1, nil), ("BYTES 0-9/10", 0, 10, 10),
    ] as [(String, Int64, Int64, Int64?)])
  func `a part's place is read`(text: String, start: Int64, end: Int64, total: Int64?) throws {
    let value = try ContentRange(text)
    #expect(value.range == start..<end)
    #expect(value.total == total)
    #expect(value.description == text.lowercased())
  }

  @Test func `an unsatisfied range has a total only`() throws {
    let value = try ContentRange("bytes */1234")
    #expect(value.range == nil)
    #expect(value.total == 1234)
    #expect(value == ContentRange(unsatisfiedTotal: 1234))
    #expect(value.description == "bytes */1234")
  }

  @Test(arguments: [
    ("", FieldError.Kind.malformed), ("bytes", .malformed), ("bytes 1-2", .malformed), ("bytes */*", .malformed),
    ("bytes 2-1/5", .malformed), ("bytes 0-5/5", .malformed), ("bytes 0-4/5 ", .malformed),
    ("bytes  0-4/5", .malformed), ("bytes=0-4/5", .malformed), ("bytes -4/5", .malformed),
    ("bytes 0-/5", .malformed), ("bytes 0-4/-5", .malformed), ("items 0-4/5", .unsupportedUnit),
    ("bytes 0-9223372036854775807/*", .overflow), ("bytes 0-4/9223372036854775808", .overflow),
    ("bytes 18446744073709551616-18446744073709551617/*", .overflow),
  ])
  func `a place that cannot be trusted is an error`(text: String, kind: FieldError.Kind) {
    let error = #expect(throws: FieldError.self) { try ContentRange(text) }
    #expect(error?.kind == kind)
  }

  @Test func `a part's place is made of what fits`() {
    #expect(ContentRange(0..<5, total: 4) == nil)
    #expect(ContentRange(5..<5, total: nil) == nil)
    #expect(ContentRange(-1..<5, total: nil) == nil)
    #expect(ContentRange(unsatisfiedTotal: -1) == nil)
    #expect(ContentRange(0..<5, total: 5)?.description == "bytes 0-4/5")
  }

  @Test func `random text never traps and is written to the same value`() throws {
    var fuzz = FieldFuzz(seed: 5, near: ["bytes=0-499,-5,7-", "bytes 0-499/1234", "bytes */9223372036854775807"])
    var read = 0
    for _ in 0..<100_000 {
      let text = fuzz.text()
      if let set = try? ByteRangeSet(text) {
        read += 1
        #expect(try ByteRangeSet(set.description) == set)
        let length = Int64(bitPattern: fuzz.next())
        for range in set.resolved(length: length) { #expect(range.upperBound <= length) }
      }
      if let value = try? ContentRange(text) {
        read += 1
        #expect(try ContentRange(value.description) == value)
      }
    }
    #expect(read > 1000)
  }
}
