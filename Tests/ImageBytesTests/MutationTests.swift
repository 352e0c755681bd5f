import CurlewImageBytes
import Testing

/// A small generator with a seed, so that a failure can be repeated (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

@Suite(.enabled(if: ImageCorpus.isPresent, "shared/data/images is not here"))
struct MutationTests {
  private static let shards = 8
  private static let extremes: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFF]

  private func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    // Headers are where lengths and offsets are.
    let range = Bool.random(using: &random) ? min(bytes.count, 256) : bytes.count
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      let place = Int.random(in: 0..<range, using: &random)
      bytes[place] =
        Bool.random(using: &random)
        ? UInt8.random(in: 0...255, using: &random) : Self.extremes.randomElement(using: &random) ?? 0
    }
    return bytes
  }

  @Test(arguments: 0..<shards)
  func `flipped bytes give an error or an answer all readings share`(shard: Int) {
    let limits = ImageLimits(maximumPixels: 1 << 28, maximumParts: 1 << 14)
    var random = SplitMix64(seed: 4_000 + UInt64(shard))
    for sample in ImageCorpus.shard(shard, of: Self.shards) where !sample.bytes.isEmpty {
      for _ in 0..<(Thoroughness.isFull ? 2_000 : 20) {
        let bytes = mutated(sample.bytes, &random)
        let info = try? ImageInfo(of: bytes, limits: limits)
        if let sound = try? ImageInfo(verifying: bytes, limits: limits) {
          if sound != info { Issue.record("\(sample.name): \(sound), not \(String(describing: info))") }
        }
        guard let info else { continue }
        if info.width.multipliedReportingOverflow(by: info.height).overflow
          || info.width * info.height > limits.maximumPixels || info.width < 1 || info.height < 1
        {
          Issue.record("\(sample.name): \(info)")
        }
        guard case .info(var probed) = try? ImageInfo.probe(bytes, limits: limits) else { continue }
        probed.frames = info.frames
        if probed != info { Issue.record("\(sample.name): \(probed), not \(info)") }
      }
    }
  }

  @Test func `noise is no picture and never traps`() {
    var random = SplitMix64(seed: 17)
    let starts: [[UInt8]] = [
      [], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8),
      Array("RIFF\u{10}\0\0\0WEBPVP8X".utf8), Array("II*\0".utf8), Array("MM\0*".utf8), Array("BM".utf8),
      [0, 0, 1, 0, 1, 0], Array("\0\0\0\u{10}ftypavif\0\0\0\0".utf8), [0xFF, 0x0A], Array("<svg ".utf8),
    ]
    for _ in 0..<(Thoroughness.isFull ? 200_000 : 4_000) {
      let start = starts.randomElement(using: &random) ?? []
      let tail = (0..<Int.random(in: 0..<80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let bytes = start + tail
      let info = try? ImageInfo(of: bytes)
      if let sound = try? ImageInfo(verifying: bytes) { #expect(sound == info) }
    }
  }
}
