import CurlewImageBytes
import Testing

@Suite(.enabled(if: ImageCorpus.isPresent, "shared/data/images is not here"))
struct TruncationTests {
  private static let shards = 8

  /// Where a file is cut: everywhere in its first bytes, then in steps.
  private func cuts(_ count: Int) -> [Int] {
    if Thoroughness.isFull { return Array(0..<count) }
    return Array(0..<min(count, 4096)) + Array(stride(from: 4096, to: count, by: 997))
  }

  @Test(arguments: 0..<shards)
  func `a cut file gives an error or the same answer`(shard: Int) {
    for sample in ImageCorpus.shard(shard, of: Self.shards) {
      let whole = try? ImageInfo(of: sample.bytes)
      sample.bytes.withUnsafeBytes { bytes in
        for count in cuts(bytes.count) {
          guard var info = try? ImageInfo(of: UnsafeRawBufferPointer(rebasing: bytes[..<count])) else { continue }
          info.bytes = bytes.count
          if info != whole { Issue.record("\(sample.name) cut at \(count): \(info), not \(String(describing: whole))") }
        }
      }
    }
  }

  @Test(arguments: 0..<shards)
  func `a beginning asks for more bytes or gives the final answer`(shard: Int) {
    for sample in ImageCorpus.shard(shard, of: Self.shards) {
      let whole = Result { try ImageInfo.probe(sample.bytes) }
      sample.bytes.withUnsafeBytes { bytes in
        for count in cuts(bytes.count) {
          switch Result(catching: { try ImageInfo.probe(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }) {
          case .success(.needsMoreBytes(let needed)):
            if needed <= count { Issue.record("\(sample.name) at \(count) asks for \(needed)") }
          case .success(.info(var info)):
            info.bytes = bytes.count
            if case .success(.info(info)) = whole { continue }
            Issue.record("\(sample.name) at \(count): \(info)")
          case .failure(let error):
            if case .failure = whole { continue }
            Issue.record("\(sample.name) at \(count): \(error)")
          }
        }
      }
    }
  }

  /// Behind their trailer, or their pixels, these files have bytes that are not part of the picture, or no trailer.
  private func hasOpenEnd(_ sample: ImageCorpus.Sample, _ format: ImageFormat) -> Bool {
    format == .jxl || format == .bmp || format == .tiff
  }

  @Test(arguments: 0..<shards)
  func `a file cut in half is not sound`(shard: Int) throws {
    for sample in ImageCorpus.shard(shard, of: Self.shards) {
      guard let info = try? ImageInfo(verifying: sample.bytes), !hasOpenEnd(sample, info.format) else { continue }
      #expect(throws: ImageError.self, "\(sample.name)") {
        try ImageInfo(verifying: Array(sample.bytes.prefix(sample.bytes.count / 2)))
      }
    }
  }

  @Test(arguments: 0..<shards)
  func `checking a cut file never traps`(shard: Int) {
    for sample in ImageCorpus.shard(shard, of: Self.shards) {
      let whole = try? ImageInfo(verifying: sample.bytes)
      let step = Thoroughness.isFull ? 1 : max(1, sample.bytes.count / 48)
      sample.bytes.withUnsafeBytes { bytes in
        for count in stride(from: 0, to: bytes.count, by: step) {
          guard var info = try? ImageInfo(verifying: UnsafeRawBufferPointer(rebasing: bytes[..<count])) else {
            continue
          }
          info.bytes = bytes.count
          if info != whole { Issue.record("\(sample.name) cut at \(count) is sound: \(info)") }
        }
      }
    }
  }
}
