import CurlewCBOR
import FoundationEssentials
import Testing

/// The examples of RFC 8949, appendix A: bytes, the value, and whether the bytes are the preferred ones.
@Suite struct AppendixTests {
  struct Example: Sendable, CustomStringConvertible {
    let hex: String
    let value: CBORValue
    let isPreferred: Bool
    var description: String { hex }

    init(_ hex: String, _ value: CBORValue, isPreferred: Bool = true) {
      self.hex = hex
      self.value = value
      self.isPreferred = isPreferred
    }
  }

  private static let toTwentyFive = CBORValue.array((1...25).map { CBORValue($0) })
  private static let nested: CBORValue = [1, [2, 3], [4, 5]]

  static let examples: [Example] = [
    Example("00", 0), Example("01", 1), Example("0a", 10), Example("17", 23), Example("1818", 24), Example("1819", 25),
    Example("1864", 100), Example("1903e8", 1000), Example("1a000f4240", 1_000_000),
    Example("1b000000e8d4a51000", 1_000_000_000_000), Example("1bffffffffffffffff", CBORValue(UInt64.max)),
    Example("c249010000000000000000", CBORValue(18_446_744_073_709_551_616 as Int128)),
    Example("3bffffffffffffffff", CBORValue(-18_446_744_073_709_551_616 as Int128)),
    Example("c349010000000000000000", CBORValue(-18_446_744_073_709_551_617 as Int128)),
    Example("20", -1), Example("29", -10), Example("3863", -100), Example("3903e7", -1000),
    Example("f90000", 0.0), Example("f98000", .float(-0.0)), Example("f93c00", 1.0), Example("fb3ff199999999999a", 1.1),
    Example("f93e00", 1.5), Example("f97bff", 65504.0), Example("fa47c35000", 100000.0),
    Example("fa7f7fffff", 3.4028234663852886e+38), Example("fb7e37e43c8800759c", 1.0e+300),
    Example("f90001", 5.960464477539063e-8), Example("f90400", 0.00006103515625), Example("f9c400", -4.0),
    Example("fbc010666666666666", -4.1), Example("f97c00", .float(.infinity)), Example("f97e00", .float(.nan)),
    Example("f9fc00", .float(-.infinity)), Example("fa7f800000", .float(.infinity), isPreferred: false),
    Example("fa7fc00000", .float(.nan), isPreferred: false),
    Example("faff800000", .float(-.infinity), isPreferred: false),
    Example("fb7ff0000000000000", .float(.infinity), isPreferred: false),
    Example("fb7ff8000000000000", .float(.nan), isPreferred: false),
    Example("fbfff0000000000000", .float(-.infinity), isPreferred: false),
    Example("f4", false), Example("f5", true), Example("f6", nil), Example("f7", .undefined),
    Example("f0", .simple(16)),
    Example("f8ff", .simple(255)),
    Example("c074323031332d30332d32315432303a30343a30305a", .tagged(0, "2013-03-21T20:04:00Z")),
    Example("c11a514b67b0", .tagged(1, 1_363_896_240)), Example("c1fb41d452d9ec200000", .tagged(1, 1363896240.5)),
    Example("d74401020304", .tagged(23, .bytes(Data([1, 2, 3, 4])))),
    Example("d818456449455446", .tagged(24, .bytes(Data([0x64, 0x49, 0x45, 0x54, 0x46])))),
    Example("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .tagged(32, "http://www.example.com")),
    Example("40", .bytes(Data())), Example("4401020304", .bytes(Data([1, 2, 3, 4]))), Example("60", ""),
    Example("6161", "a"), Example("6449455446", "IETF"), Example("62225c", "\"\\"), Example("62c3bc", "\u{FC}"),
    Example("63e6b0b4", "\u{6C34}"), Example("64f0908591", "\u{10151}"), Example("80", []),
    Example("83010203", [1, 2, 3]),
    Example("8301820203820405", nested),
    Example("98190102030405060708090a0b0c0d0e0f101112131415161718181819", toTwentyFive),
    Example("a0", [:]), Example("a201020304", [1: 2, 3: 4]), Example("a26161016162820203", ["a": 1, "b": [2, 3]]),
    Example("826161a161626163", ["a", ["b": "c"]]),
    Example("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
    Example("5f42010243030405ff", .bytes(Data([1, 2, 3, 4, 5])), isPreferred: false),
    Example("7f657374726561646d696e67ff", "streaming", isPreferred: false), Example("9fff", [], isPreferred: false),
    Example("9f018202039f0405ffff", nested, isPreferred: false),
    Example("9f01820203820405ff", nested, isPreferred: false),
    Example("83018202039f0405ff", nested, isPreferred: false),
    Example("83019f0203ff820405", nested, isPreferred: false),
    Example("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", toTwentyFive, isPreferred: false),
    Example("bf61610161629f0203ffff", ["a": 1, "b": [2, 3]], isPreferred: false),
    Example("826161bf61626163ff", ["a", ["b": "c"]], isPreferred: false),
    Example("bf6346756ef563416d7421ff", ["Fun": true, "Amt": -2], isPreferred: false),
  ]

  @Test func `the table has every row of the appendix`() { #expect(Self.examples.count == 81) }

  @Test(arguments: examples)
  func `an example is read as its value, and written in its preferred form`(example: Example) throws {
    let bytes = Data(hex: example.hex)
    let value = try CBORValue(parsing: bytes)
    #expect(value == example.value)
    #expect(try (value.data() == bytes) == example.isPreferred)
    #expect(try CBORValue(parsing: value.data()) == value)
  }

  @Test(arguments: examples)
  func `only preferred forms are accepted as deterministic`(example: Example) throws {
    var options = CBOROptions()
    options.requiresDeterministicEncoding = true
    let value = try? CBORValue(parsing: Data(hex: example.hex), options: options)
    #expect((value != nil) == example.isPreferred)
  }

  @Test(arguments: examples)
  func `a truncated example is an error`(example: Example) throws {
    let bytes = Data(hex: example.hex)
    for count in 0..<bytes.count {
      let error = try #require(throws: CBORError.self) { try CBORValue(parsing: bytes.prefix(count)) }
      #expect(error.kind == (count == 0 ? .empty : .unexpectedEnd))
    }
  }
}

extension Data {
  /// Creates bytes from hexadecimal digits.
  init(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}
