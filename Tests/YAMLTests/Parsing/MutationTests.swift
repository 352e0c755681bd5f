import CurlewYAML
import FoundationEssentials
import Testing

/// A short run of what the fuzzer does at length: whatever the bytes, there are values that round-trip or an error.
///
/// `CURLEW_MUTATIONS` says how many; `Scripts/sanitize` takes 20,000.
struct MutationTests {
  private static let rounds = ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap { Int($0) } ?? 12_000

  static let seeds = [
    "a: &x [1, -0, 1.5e+10, 0x1F, ~, true]\nb: {c: \"\\u00e9\\n\", ? [k] : *x}\n<<: {d: 'e''f'}\n",
    "%YAML 1.2\n%TAG !e! tag:e.com,2000:\n---\n- !e!x |2-\n   text\n\n  more # no\n- >+\n folded\n text\n\n...\n--- é😀\n",
    "? - a\n  - b # c\n: - - 1\n    - 2\n  - {x: y, z: [q, \"multi\n    line\"]}\n! s: !!binary R0lG\n",
  ]

  @Test(arguments: 0..<8) func `mutated documents end in values or an error`(_ run: UInt64) {
    var random = SeededGenerator(state: 0xC0FF_EE00 + run)
    for _ in 0..<Self.rounds / 8 {
      var bytes = Array((Self.seeds.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
      Self.check(bytes, schema: YAMLSchema.allCases.randomElement(using: &random) ?? .core)
    }
  }

  @Test(arguments: seeds) func `every truncation ends in values or an error`(seed: String) {
    let bytes = Array(seed.utf8)
    for end in bytes.indices { Self.check(Array(bytes[..<end]), schema: .core) }
  }

  private static func check(_ bytes: [UInt8], schema: YAMLSchema) {
    var options = YAMLParsingOptions()
    options.schema = schema
    do {
      let documents = try YAMLValue.documents(parsing: Data(bytes), options: options)
      for format in [YAMLFormat.block, .flow] {
        let text = YAMLValue.data(documents: documents, format)
        #expect(try YAMLValue.documents(parsing: text) == documents, "\(String(decoding: bytes, as: UTF8.self))")
      }
    } catch {
      #expect(error.line >= 1 && error.column >= 1)
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(Array("{}[]\",:\\-?&*!|>'#%\n \t0.\u{1}".utf8).randomElement(using: &random) ?? 0, at: place)
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
