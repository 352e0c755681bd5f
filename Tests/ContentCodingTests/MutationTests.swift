import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import Testing

/// Damaged bodies, judged by the calls that decode a whole body at once.
///
/// `CURLEW_MUTATIONS` says how many of each coding; `Scripts/sanitize` takes 20,000.
@Suite(.timeLimit(.minutes(10))) struct MutationTests {
  private static let rounds = ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap { Int($0) } ?? 10_000

  struct Random {
    var state: UInt64
    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return limit <= 0 ? 0 : Int((state >> 33) % UInt64(limit))
    }
  }

  @Test(arguments: ContentDecoder.codings) func `mutated bodies decode as the reference does, or are refused`(
    _ coding: ContentCoding
  ) throws {
    let samples = try [0, 3, 100, 1_000, 8_000, 70_000].map { count in
      try CodedSample.coded(CodedSample.text(count, seed: UInt64(count)), coding)
    }
    var random = Random(state: 42)
    var accepted = 0
    for round in 0..<Self.rounds {
      // The large one is looked at now and then: it is what exceeds one piece of output.
      let sample = round % 100 == 0 ? samples[5] : samples[random.below(5)]
      let mutated = Self.mutate(sample, with: samples[random.below(4)], &random)
      let expected = ReferenceDecoder.decode(mutated, coding, room: 400_000)
      let found = try? ContentDecoderTests.decode(Self.split(mutated, &random), [coding])
      if let found {
        accepted += 1
        let reference = coding == .zstd ? expected ?? ReferenceDecoder.streamed(mutated, room: 400_000) : expected
        #expect(found == reference, "round \(round): \(mutated.prefix(40).map { $0 })")
      } else if let expected, !Self.mayRefuse(mutated, coding) {
        Issue.record("round \(round): \(expected.count) bytes were refused")
      }
    }
    // Some mutations change nothing that matters, as a gzip header's time; else nothing was compared.
    #expect(accepted > Self.rounds / 500)
  }

  /// What is refused on purpose though the library reads it: formats of before RFC 8878.
  private static func mayRefuse(_ coded: Data, _ coding: ContentCoding) -> Bool {
    // The reference takes an empty body for no frame at all.
    coding == .zstd && (coded.isEmpty || coded.first != 0x28)
  }

  private static func mutate(_ sample: Data, with other: Data, _ random: inout Random) -> Data {
    var bytes = Array(sample)
    for _ in 0...random.below(3) {
      let place = random.below(bytes.count)
      switch random.below(9) {
      case 0: if !bytes.isEmpty { bytes[place] ^= UInt8(1 << random.below(8)) }
      case 1: if !bytes.isEmpty { bytes[place] = UInt8(random.below(256)) }
      case 2: bytes.insert(UInt8(random.below(256)), at: place)
      case 3: if !bytes.isEmpty { bytes.remove(at: place) }
      case 4: bytes.removeLast(random.below(bytes.count + 1))
      case 5: bytes += other
      case 6: bytes += [UInt8](repeating: 0, count: random.below(20))
      case 7: if bytes.count > 8 { bytes[4 + random.below(4)] = UInt8(random.below(256)) }
      default: if !bytes.isEmpty { bytes.swapAt(place, random.below(bytes.count)) }
      }
    }
    return Data(bytes)
  }

  private static func split(_ bytes: Data, _ random: inout Random) -> [Data] {
    var rest = bytes
    var pieces: [Data] = []
    while !rest.isEmpty {
      let count = 1 + random.below(random.below(4) == 0 ? 5 : rest.count)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
