import CurlewJSON
import FoundationEssentials
import Glibc
import Testing

struct JSONNumberTests {
  @Test(arguments: [
    "0", "-0", "1", "-1", "10", "1.0", "0.0", "-0.0", "0.10", "100.00", "1e5", "1E5", "1e+5", "1E-05", "1.5e0005",
    "0e0",
    "9999999999999999999", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
    "18446744073709551616", "123456789012345678901234567890.5", "1e99999", "1e-99999", "0.000000000000000001",
    "0.0000000000000000001", "1.000000000000000005", "-65.613616999999977", "1e9999", "12345678.12345678e+12",
  ])
  func `a number keeps its spelling`(_ text: String) throws {
    #expect(JSONNumber(text: text)?.text == text)
    #expect(try JSONValue(parsing: "[\(text)]").text() == "[\(text)]")
  }

  @Test(arguments: [
    "", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "1.e5", "0x1", "1 ", " 1", "1,", "Infinity", "1e5.0",
  ])
  func `what is no number makes none`(_ text: String) {
    #expect(JSONNumber(text: text) == nil)
  }

  @Test(arguments: [
    ("1", "1.0"), ("1", "10e-1"), ("0", "-0"), ("0", "0e99999999999999999999"), ("100", "1e2"), ("1e-1", "0.1"),
    ("123456789012345678901234567890", "12345678901234567890123456789e1"),
    ("18446744073709551615", "1844674407370955161.5e1"), ("-2.50", "-25e-1"), ("1e100000", "10e99999"),
    ("1e9223372036854775808", "1e99999999999999999999"),
  ])
  func `numbers of the same value are equal and hash alike`(_ left: String, _ right: String) throws {
    let left = try #require(JSONNumber(text: left))
    let right = try #require(JSONNumber(text: right))
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
  }

  @Test(arguments: [
    ("1", "-1"), ("0.1", "0.1000000000000000055"), ("9007199254740993", "9007199254740992"), ("1e1", "1e2"),
    ("123456789012345678901234567890", "123456789012345678901234567891"), ("1e400", "1e401"),
  ])
  func `numbers of different value differ, also where a Double cannot tell`(_ left: String, _ right: String) throws {
    #expect(try #require(JSONNumber(text: left)) != #require(JSONNumber(text: right)))
  }

  @Test func `integers come out exactly or not at all`() throws {
    func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text: text)) }
    #expect(try number("9223372036854775807").int == Int.max)
    #expect(try number("-9223372036854775808").int == Int.min)
    #expect(try number("-9223372036854775809").int == nil)
    #expect(try number("9223372036854775808").int == nil)
    #expect(try number("18446744073709551615").exactly(UInt64.self) == UInt64.max)
    #expect(try number("18446744073709551616").exactly(UInt64.self) == nil)
    #expect(try number("-1").exactly(UInt64.self) == nil)
    #expect(try number("-0").exactly(UInt8.self) == 0)
    #expect(try number("1e2").exactly(Int8.self) == 100)
    #expect(try number("-128").exactly(Int8.self) == -128)
    #expect(try number("128").exactly(Int8.self) == nil)
    #expect(try number("1.50e1").int == 15)
    #expect(try number("1.5").int == nil)
    #expect(try number("1e30").int == nil)
    #expect(try number("1e1000000000000").int == nil)
    #expect(try number("170141183460469231731687303715884105727").exactly(Int128.self) == Int128.max)
    #expect(try number("-170141183460469231731687303715884105728").exactly(Int128.self) == Int128.min)
    #expect(try number("170141183460469231731687303715884105728").exactly(Int128.self) == nil)
  }

  @Test func `a Double is the nearest one, as strtod has it`() throws {
    var random = SeededGenerator(state: 42)
    for _ in 0..<20_000 {
      let significand = UInt64.random(in: 0...(.max >> UInt64.random(in: 0..<64, using: &random)), using: &random)
      let exponent = Int.random(in: -40...40, using: &random)
      let text = "\(significand)e\(exponent)"
      #expect(JSONNumber(text: text)?.double == strtod(text, nil), "\(text)")
    }
  }

  @Test func `halfway cases round to even`() throws {
    for text in [
      "9007199254740993", "9007199254740992.5", "9007199254740993.0000000001", "4503599627370496.5",
      "4503599627370497.5",
      "0.500000000000000166533453693773481063544750213623046875", "9223372036854775807", "18446744073709549568e1",
      "1e23",
      "8.5e22", "2.2250738585072011e-308", "5e-324", "2e-324", "1.7976931348623157e308",
    ] {
      #expect(JSONNumber(text: text)?.double == strtod(text, nil), "\(text)")
    }
    #expect(JSONNumber(text: "1e400")?.double == nil)
    #expect(JSONNumber(text: "-1e-400")?.double?.sign == .minus)
    #expect(JSONNumber(text: "-0")?.double?.sign == .minus)
  }

  @Test func `a Double makes the shortest spelling that reads back`() throws {
    #expect(JSONNumber(2.0)?.text == "2")
    #expect(JSONNumber(0.1)?.text == "0.1")
    #expect(JSONNumber(Float(0.1))?.text == "0.1")
    #expect(JSONNumber(1e100)?.double == 1e100)
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(-Double.infinity) == nil)
    var random = SeededGenerator(state: 7)
    for _ in 0..<2000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(JSONNumber(value)?.double == value)
    }
  }

  @Test func `a Decimal goes both ways exactly`() throws {
    let text = "-12345678901234567890123456789.012345678"
    let decimal = try #require(Decimal(string: text))
    #expect(JSONNumber(text: text)?.decimal == decimal)
    #expect(JSONNumber(decimal)?.text == text)
    #expect(JSONNumber(text: "0.10")?.decimal == Decimal(string: "0.1"))
    #expect(JSONNumber(text: "1e127")?.decimal == Decimal(string: "1e127"))
    #expect(JSONNumber(text: "1e128")?.decimal == nil)
    let most = "0.123456789012345678901234567890123456789"
    #expect(JSONNumber(text: most)?.decimal == Decimal(string: most))
    #expect(JSONNumber(text: String(repeating: "7", count: 39))?.decimal == nil)
    #expect(JSONNumber(text: String(repeating: "1", count: 40))?.decimal == nil)
    #expect(JSONNumber(Decimal.nan) == nil)
  }
}
