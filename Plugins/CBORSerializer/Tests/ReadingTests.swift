import FoundationEssentials
import Testing

@testable import CurlewCBOR

@Suite struct ReadingTests {
  private func error(_ hex: String, _ change: (inout CBOROptions) -> Void = { _ in }) throws -> CBORError {
    var options = CBOROptions()
    change(&options)
    return try #require(throws: CBORError.self) { try CBORValue(parsing: Data(hex: hex), options: options) }
  }

  @Test(
    arguments: [
      // RFC 8949, appendix F: reserved values, breaks where there can be none, wrong chunks.
      ("1c", CBORError.Kind.reservedInitialByte, 0), ("3d", .reservedInitialByte, 0), ("5e", .reservedInitialByte, 0),
      ("fc", .reservedInitialByte, 0), ("1f", .reservedInitialByte, 0), ("df", .reservedInitialByte, 0),
      ("ff", .unexpectedBreak, 0), ("81ff", .unexpectedBreak, 1), ("a1ff00", .unexpectedBreak, 1),
      ("bf00ff", .unexpectedBreak, 2),
      ("9f81ff", .unexpectedBreak, 2), ("c0ff", .unexpectedBreak, 1),
      ("5f00ff", .invalidChunk, 1), ("5f6100ff", .invalidChunk, 1), ("7f4100ff", .invalidChunk, 1),
      ("5f5f4100ffff", .invalidChunk, 1),
      ("f800", .invalidSimpleValue, 0), ("f818", .invalidSimpleValue, 0), ("f81f", .invalidSimpleValue, 0),
      ("61ff", .invalidUTF8, 0), ("7f61c361bcff", .invalidUTF8, 1), ("63eda080", .invalidUTF8, 0),
      ("a201000102", .duplicateKey, 3), ("bf61610061610 1ff", .duplicateKey, 4),
      ("0000", .trailingContent, 1), ("", .empty, 0),
    ] as [(String, CBORError.Kind, Int)])
  func `what is not well-formed is refused where it is`(hex: String, kind: CBORError.Kind, offset: Int) throws {
    let error = try error(hex)
    #expect(error.kind == kind && error.offset == offset, "\(error)")
  }

  @Test(arguments: [
    "9bffffffffffffffff", "bb7fffffffffffffff00", "5bffffffffffffffff", "7b000000010000000061", "9a7fffffff00",
  ])
  func `a length that never comes reserves nothing`(hex: String) throws {
    #expect([.unexpectedEnd, .stringTooLong].contains(try error(hex).kind))
  }

  @Test func `no key and no type gets text with more than 1,024 combining marks in a row`() throws {
    let text = CBORValue.text("a" + String(repeating: "\u{301}\u{316}", count: 1_000))
    let error = #expect(throws: CBORError.self) {
      try CBORValue(parsing: CBORValue.map([CBORValue.Entry(text, 1)]).data())
    }
    #expect(error?.kind == .tooManyMarks && error?.offset == 1)
    let value = try CBORValue(parsing: CBORValue.array([text]).data())
    #expect(throws: DecodingError.self) { try CBORDecoder().decode([String].self, from: value.data()) }
  }

  @Test func `keys that share their first hundred bytes have different hashes`() {
    let keys = (0..<1_000).map { CBORValue.bytes(Data(repeating: 0, count: 100) + Data("\($0)".utf8)) }
    #expect(Set(keys.map(\.hashValue)).count == keys.count)
  }

  @Test func `keys inside keys have a limit, in what is read and in what is written`() throws {
    func nested(_ levels: Int) -> CBORValue {
      (0..<levels).reduce(.null) { key, _ in .map([CBORValue.Entry(.array([key]), 0)]) }
    }
    func bytes(_ levels: Int) -> Data {
      Data((0..<levels).flatMap { _ in [0xA1, 0x81] } + [0xF6] + (0..<levels).map { _ in 0 })
    }
    #expect(try CBORValue(parsing: bytes(8)) == nested(8))
    #expect(try nested(8).data() == bytes(8))
    #expect(try nested(8).data(.deterministic) == bytes(8))
    #expect(throws: CBORError(.tooDeep, at: 16)) { try CBORValue(parsing: bytes(9)) }
    #expect(throws: CBORError(.tooDeep, at: 16)) { try nested(9).data() }
    #expect(throws: CBORError.self) { try nested(9).data(.deterministic) }
    // Values inside values have no such limit.
    let values = (0..<500).reduce(CBORValue.null) { value, _ in .map([CBORValue.Entry(0, value)]) }
    #expect(try CBORValue(parsing: values.data()) == values)
  }

  @Test func `each limit has its error`() throws {
    #expect(try error("818180") { $0.maximumDepth = 2 }.kind == .tooDeep)
    #expect(try error("c1c100") { $0.maximumDepth = 1 }.kind == .tooDeep)
    #expect(try error("83010203") { $0.maximumItems = 3 }.kind == .tooManyItems)
    #expect(try error("5f410041004100ff") { $0.maximumItems = 3 }.kind == .tooManyItems)
    #expect(try error("43010203") { $0.maximumStringBytes = 2 }.kind == .stringTooLong)
    #expect(try error("7f616161616161ff") { $0.maximumStringBytes = 2 }.kind == .stringTooLong)
    var options = CBOROptions()
    options.maximumDepth = .max
    let deep = Data(repeating: 0x81, count: 100_000) + [0x00]
    #expect(throws: CBORError.self) { try CBORValue(parsing: deep, options: options) }
    let allowed = Data(repeating: 0x81, count: 511) + [0x80]
    #expect(try CBORValue(parsing: allowed).data() == allowed)
  }

  @Test(arguments: [
    "1800", "190017", "1a00000100", "1b0000000000000001", "5800", "780161", "9800", "b80101 00", "d80100", "fa3f800000",
    "f97e01",
  ])
  func `longer forms are read, but are not deterministic`(hex: String) throws {
    _ = try CBORValue(parsing: Data(hex: hex))
    #expect(try error(hex) { $0.requiresDeterministicEncoding = true }.kind == .notDeterministic)
  }

  @Test func `deterministic maps are sorted by the bytes of their keys`() throws {
    // The example of RFC 8949 §4.2.1.
    let sorted: CBORValue = [10: 0, 100: 1, -1: 2, "z": 3, "aa": 4, [100]: 5, [-1]: 6, false: 7]
    let shuffled: CBORValue = [false: 7, [-1]: 6, "aa": 4, "z": 3, [100]: 5, -1: 2, 100: 1, 10: 0]
    #expect(try shuffled.data(.deterministic) == sorted.data())
    #expect(try shuffled.data() != sorted.data())
    var options = CBOROptions()
    options.requiresDeterministicEncoding = true
    #expect(try CBORValue(parsing: sorted.data(), options: options) == sorted)
    let error = try #require(throws: CBORError.self) { try CBORValue(parsing: shuffled.data(), options: options) }
    #expect(error.kind == .notDeterministic)
  }

  @Test func `what cannot be read is not written`() throws {
    #expect(throws: CBORError.self) { try CBORValue.map([.init(1, 2), .init(1, 3)]).data() }
    #expect(throws: CBORError.self) { try CBORValue.simple(24).data() }
    let deep = (0..<513).reduce(CBORValue.null) { inner, _ in [inner] }
    #expect(throws: CBORError.self) { try deep.data() }
  }

  @Test func `a sequence is read item by item`() throws {
    #expect(try CBORValue.sequence(parsing: Data(hex: "0161618101")) == [1, "a", [1]])
    #expect(try CBORValue.sequence(parsing: Data()) == [])
    #expect(throws: CBORError.self) { try CBORValue.sequence(parsing: Data(hex: "0182")) }
  }

  @Test func `random bytes are a value or an error, and a value is read as it is written`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = Data(
        (0..<Int.random(in: 1...24, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) })
      guard let value = try? CBORValue(parsing: bytes) else { continue }
      for format in [CBORFormat.preferred, .deterministic] {
        let written = try value.data(format)
        // Only the order of maps may change.
        #expect(try CBORValue(parsing: written).data(.deterministic) == value.data(.deterministic))
        #expect(written.count <= bytes.count)
      }
    }
  }
}
