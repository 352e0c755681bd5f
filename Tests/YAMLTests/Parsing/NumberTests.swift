import CurlewYAML
import Testing

struct NumberTests {
  @Test func `integers of any size are exact`() throws {
    let digits = String(repeating: "1234567890", count: 10)
    #expect(try YAMLValue(parsing: digits) == YAMLInteger(text: digits).map(YAMLValue.int))
    // Python: 0xffffffffffffffffffffffffffffffff and 0o7777777777777777777777777777777.
    #expect(
      try YAMLValue(parsing: "0x" + String(repeating: "f", count: 32)).scalarText
        == "340282366920938463463374607431768211455")
    #expect(
      try YAMLValue(parsing: "0o" + String(repeating: "7", count: 31)).scalarText == "9903520314283042199192993791")
    #expect(try YAMLValue(parsing: "-9223372036854775808").intValue == .min)
    #expect(try YAMLValue(parsing: "9223372036854775808").intValue == nil)
    #expect(YAMLInteger(text: "18446744073709551615")?.exactly(UInt64.self) == .max)
  }

  @Test func `integers are spelled in one way`() {
    #expect(YAMLInteger(text: "-0012")?.text == "-12")
    #expect(YAMLInteger(text: "+7")?.text == "7")
    #expect(YAMLInteger(text: "-0")?.text == "0")
    for text in ["", "-", "1.0", "0x1", "１", " 1"] { #expect(YAMLInteger(text: text) == nil) }
  }

  @Test func `floats keep their digits and are equal by value`() throws {
    #expect(try YAMLValue(parsing: "0.1000000000000000055").scalarText == "0.1000000000000000055")
    #expect(try YAMLValue(parsing: "[1.5, 1.50, 15e-1]") == [1.5, 1.5, 1.5])
    #expect(YAMLFloat(text: "0.1000000000000000055") != YAMLFloat(0.1))
    #expect(YAMLFloat(0.0) == YAMLFloat(-0.0))
    #expect(YAMLFloat.nan == YAMLFloat(Double.nan) && YAMLFloat.infinity != YAMLFloat.negativeInfinity)
    #expect(Set([YAMLFloat(text: "1.5"), YAMLFloat(text: "15e-1"), YAMLFloat(text: "0.15e1")]).count == 1)
    #expect(YAMLValue.int(1) != YAMLValue.float(1.0))
  }

  @Test func `a float that is whole is an integer where one is asked for`() {
    #expect(YAMLFloat(text: "1e3")?.exactly(Int.self) == 1000)
    #expect(YAMLFloat(text: "-2.50e1")?.exactly(Int8.self) == -25)
    #expect(YAMLFloat(text: "1.5")?.exactly(Int.self) == nil)
    #expect(YAMLFloat(text: "1e999999999999999999999")?.exactly(Int.self) == nil)
    #expect(YAMLFloat(text: "1e999999999999999999999")?.double == .infinity)
    #expect(YAMLFloat.nan.exactly(Int.self) == nil)
  }

  @Test func `a number longer than the limit is refused, as text it is not`() throws {
    let digits = String(repeating: "9", count: 1025)
    let error = #expect(throws: YAMLError.self) { try YAMLValue(parsing: "a: " + digits) }
    #expect(error?.kind == .numberTooLong && error?.line == 1 && error?.column == 4)
    #expect(try YAMLValue(parsing: "'\(digits)'").stringValue == digits)
    #expect(try YAMLValue(parsing: digits.dropLast().description).scalarText?.count == 1024)
  }
}
