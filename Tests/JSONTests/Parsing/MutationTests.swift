import CurlewJSON
import FoundationEssentials
import Testing

/// A short run of what the fuzzer does at length: whatever the bytes, there is a value that round-trips or an error.
///
/// `CURLEW_MUTATIONS` says how many; `Scripts/sanitize` takes 20,000.
struct MutationTests {
  private static let rounds = ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap { Int($0) } ?? 12_000

  private static let seeds = [
    #"{"a":[1,-0,1.5e+10,123456789012345678901234567890,true,false,null],"b":{"c":"\u00e9\ud83d\ude00\n","":""}}"#,
    #"[[[[[]]]],{"x":{"y":{"z":[1.0,2.50,3e-7]}}},"日本語 text that is longer than a word",0.1]"#,
    "  {\r\n\t\"name\" : \"value\" ,\r\n\t\"name\" : \"other\"\r\n}  ",
  ]

  @Test(arguments: 0..<8) func `mutated documents end in a value or an error`(_ run: UInt64) {
    var random = SeededGenerator(state: 0xC0FF_EE00 + run)
    for _ in 0..<Self.rounds / 8 {
      var bytes = Array((Self.seeds.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
      check(bytes, &random)
    }
  }

  private func check(_ bytes: [UInt8], _ random: inout SeededGenerator) {
    var options = JSONParsingOptions()
    options.duplicateNames = [.keepLast, .keepFirst, .refuse, .keepAll].randomElement(using: &random) ?? .keepLast
    options.loneSurrogates = Bool.random(using: &random) ? .refuse : .replace
    do {
      let value = try JSONValue(parsing: bytes, options: options)
      let text = value.text(.pretty)
      #expect(String(validating: bytes, as: UTF8.self) != nil)
      #expect(try JSONValue(parsing: text, options: options) == value)
      _ = value.removingNulls().hashValue
      _ = value.doubleValue
    } catch {
      #expect((0...bytes.count).contains(error.offset))
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(Array("{}[]\",:\\eE+-.0u\u{1}".utf8).randomElement(using: &random) ?? 0, at: place)
    case 4: bytes.removeSubrange(place...)
    default: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
    }
  }
}

/// SplitMix64: the same numbers from the same seed.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
