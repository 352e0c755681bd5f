import CurlewContentCoding
import CurlewCore
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContentDecoderTests {
  /// All that a decoder gives for pieces of input.
  static func decode(
    _ pieces: [Data], _ codings: [ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()
  ) throws(ContentDecodingError) -> Data {
    let decoder = try ContentDecoder(codings, limits: limits)
    var plain = Data()
    for piece in pieces {
      decoder.feed(piece)
      while let bytes = try decoder.next() { plain += bytes }
    }
    try decoder.finish()
    return plain
  }

  static func reason(_ body: () throws(ContentDecodingError) -> Void) -> ContentDecodingError.Reason? {
    do throws(ContentDecodingError) {
      try body()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: ContentDecoder.codings) func `content comes back, in one piece or byte by byte`(
    _ coding: ContentCoding
  ) throws {
    for count in [0, 1, 2, 300, 65_535, 65_536, 65_537, 400_000] {
      let plain = CodedSample.text(count)
      let coded = try CodedSample.coded(plain, coding)
      #expect(try Self.decode([coded], [coding]) == plain)
      if count < 70_000 { #expect(try Self.decode(coded.map { Data([$0]) }, [coding]) == plain) }
    }
  }

  /// Each prefix is a body that was cut there: the decoder must know it without a further byte.
  @Test(arguments: ContentDecoder.codings) func `a body of 64 kB that is cut at any byte is cut`(
    _ coding: ContentCoding
  ) throws {
    let plain = CodedSample.text(coding == .brotli ? 230_000 : 205_000)
    let coded = try CodedSample.coded(plain, coding)
    #expect(coded.count > 65_536)
    let decoder = try ContentDecoder([coding])
    var given = 0
    var wrong: [Int] = []
    for index in coded.indices {
      if Self.reason({ () throws(ContentDecodingError) in try decoder.finish() }) != .cut { wrong.append(index) }
      decoder.feed(coded[index...index])
      while let bytes = try decoder.next() { given += bytes.count }
    }
    #expect(wrong.isEmpty, "taken for whole after \(wrong.prefix(5)) bytes")
    try decoder.finish()
    #expect(given == plain.count)
  }

  @Test func `deflate is read without the zlib format too`() throws {
    let plain = CodedSample.text(100_000)
    let bare = try CodedSample.deflated(plain, window: -15)
    #expect(try Self.decode([bare], [.deflate]) == plain)
    #expect(try Self.decode(bare.map { Data([$0]) }, [.deflate]) == plain)
    for cut in [1, 2, bare.count / 2, bare.count - 1] {
      #expect(
        Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([bare.prefix(cut)], [.deflate]) } == .cut)
    }
    // The empty final block is one of two bytes.
    #expect(try Self.decode([Data([3, 0])], [.deflate]).isEmpty)
    #expect(try Self.decode([Data([3]), Data([0])], [.deflate]).isEmpty)
  }

  @Test(arguments: [ContentCoding.gzip, .zstd]) func `members and frames follow one another`(
    _ coding: ContentCoding
  ) throws {
    let first = CodedSample.text(70_000)
    let second = CodedSample.text(90_000, seed: 2)
    let coded =
      try CodedSample.coded(first, coding) + CodedSample.coded(Data(), coding) + CodedSample.coded(second, coding)
    #expect(try Self.decode([coded], [coding]) == first + second)
    #expect(try Self.decode(coded.map { Data([$0]) }, [coding]) == first + second)
    #expect(
      Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([coded.dropLast()], [coding]) } == .cut)
  }

  @Test func `skippable frames of zstd are skipped`() throws {
    let plain = CodedSample.text(1000)
    let skippable = Data([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
    let coded = skippable + (try CodedSample.zstd(plain)) + skippable
    #expect(try Self.decode([coded], [.zstd]) == plain)
    #expect(try Self.decode(coded.map { Data([$0]) }, [.zstd]) == plain)
    #expect(Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([coded.dropLast()], [.zstd]) } == .cut)
  }

  /// libzstd does not compare them when the frame's last block is empty.
  @Test func `a frame of zstd that has not the size it states is damaged`() {
    // A frame that states 190 bytes and holds none, with the right checksum of that.
    let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x24, 190, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51])
    var none = frame
    none[5] = 0
    for pieces in [[frame], frame.map { Data([$0]) }] {
      #expect(Self.reason { () throws(ContentDecodingError) in _ = try Self.decode(pieces, [.zstd]) } == .damaged)
    }
    #expect(throws: Never.self) { try Self.decode([none], [.zstd]) }
  }

  @Test(arguments: ContentDecoder.codings) func `bytes behind the content are refused`(_ coding: ContentCoding) throws {
    let coded = try CodedSample.coded(CodedSample.text(500), coding)
    for tail in [Data("garbage".utf8), Data([0, 0, 1])] {
      for pieces in [[coded + tail], [coded, tail], (coded + tail).map { Data([$0]) }] {
        let reason = Self.reason { () throws(ContentDecodingError) in _ = try Self.decode(pieces, [coding]) }
        #expect(reason == .trailingBytes)
      }
    }
  }

  @Test func `zero bytes behind gzip are padding`() throws {
    let plain = CodedSample.text(500)
    let coded = try CodedSample.coded(plain, .gzip) + Data(count: 70_000)
    #expect(try Self.decode([coded], [.gzip]) == plain)
    #expect(try Self.decode([coded, Data(count: 3)], [.gzip]) == plain)
  }

  @Test(arguments: [ContentCoding.gzip, .deflate, .zstd]) func `a wrong checksum is damage`(
    _ coding: ContentCoding
  ) throws {
    var coded = try CodedSample.coded(CodedSample.text(5000), coding)
    // The checksum: before the length in gzip, last elsewhere.
    coded[coded.count - (coding == .gzip ? 6 : 2)] ^= 1
    #expect(Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([coded], [coding]) } == .damaged)
  }

  @Test func `several codings are undone from the last to the first`() throws {
    let plain = CodedSample.text(300_000)
    var coded = plain
    let codings: [ContentCoding] = [.gzip, .brotli, .zstd, .deflate]
    for coding in codings { coded = try CodedSample.coded(coded, coding) }
    #expect(try Self.decode([coded], codings) == plain)
    #expect(try Self.decode(coded.map { Data([$0]) }, codings) == plain)
    for cut in [0, 1, coded.count / 3, coded.count - 1] {
      #expect(
        Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([coded.prefix(cut)], codings) } == .cut)
    }
    #expect(
      Self.reason { () throws(ContentDecodingError) in _ = try ContentDecoder(codings + [.gzip]) } == .tooManyCodings)
  }

  @Test func `what has no decoder is refused`() {
    for codings in [[], [ContentCoding(rawValue: "compress")], [.gzip, ContentCoding(rawValue: "foo")]] {
      #expect(Self.reason { () throws(ContentDecodingError) in _ = try ContentDecoder(codings) } == .unknownCoding)
    }
  }

  /// Formats of before RFC 8878, which Debian's libzstd can read, are no content coding.
  @Test(arguments: [0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x1E] as [UInt8]) func `older formats of zstd are refused`(
    _ first: UInt8
  ) {
    let reason = Self.reason { () throws(ContentDecodingError) in
      _ = try Self.decode([Data([first, 0xB5, 0x2F, 0xFD]) + Data(count: 40)], [.zstd])
    }
    #expect(reason == .damaged)
  }

  @Test func `an error is thrown again`() throws {
    let decoder = try ContentDecoder([.gzip])
    decoder.feed(Data("no gzip".utf8))
    for _ in 0..<2 {
      #expect(Self.reason { () throws(ContentDecodingError) in _ = try decoder.next() } == .damaged)
      #expect(Self.reason { () throws(ContentDecodingError) in try decoder.finish() } == .damaged)
      decoder.feed(Data("more".utf8))
    }
  }

  // MARK: Limits

  /// 64 MB of zeros, one coding deep or two.
  @Test(arguments: ContentDecoder.codings) func `a bomb ends at the ratio, and at the output allowed`(
    _ coding: ContentCoding
  ) throws {
    let bomb = try CodedSample.coded(Data(count: 64 << 20), coding)
    #expect(bomb.count < 100_000)
    var limits = ContentDecodingLimits()
    limits.allowance = 1 << 20
    var (reason, given) = Self.run(bomb, [coding], limits)
    #expect(reason == .tooHighRatio)
    #expect(given <= 1 << 20)
    limits = ContentDecodingLimits()
    limits.output = 3_000_000
    (reason, given) = Self.run(bomb, [coding], limits)
    #expect(reason == .tooMuchOutput)
    #expect(given <= 3_000_000)
    // Within the limits it is content like any other.
    (reason, given) = Self.run(bomb, [coding], ContentDecodingLimits())
    #expect(reason == nil)
    #expect(given == 64 << 20)
    // What decodes to nothing but a bomb's worth of coded bytes is ended too.
    limits = ContentDecodingLimits()
    limits.allowance = 10_000
    limits.ratio = 5
    let empty = try CodedSample.coded(Data(), .gzip)
    let members = try CodedSample.coded(Data((0..<50_000).flatMap { _ in empty }), coding)
    (reason, given) = Self.run(members, [.gzip, coding], limits)
    #expect(reason == .tooHighRatio)
    #expect(given == 0)
  }

  private static func run(
    _ coded: Data, _ codings: [ContentCoding], _ limits: ContentDecodingLimits
  ) -> (ContentDecodingError.Reason?, Int) {
    var given = 0
    var longest = 0
    let reason = reason { () throws(ContentDecodingError) in
      let decoder = try ContentDecoder(codings, limits: limits)
      decoder.feed(coded)
      while let piece = try decoder.next() {
        longest = max(longest, piece.count)
        given += piece.count
      }
      try decoder.finish()
    }
    // Memory is bounded, however much the input could give.
    #expect(longest <= 65_536)
    return (reason, given)
  }

  @Test func `a window of more than 8 MB is refused, unless more is allowed`() throws {
    let plain = CodedSample.text(100_000)
    let coded = try CodedSample.zstd(plain, windowLog: 24)
    #expect(Self.reason { () throws(ContentDecodingError) in _ = try Self.decode([coded], [.zstd]) } == .tooLargeWindow)
    var limits = ContentDecodingLimits()
    limits.zstdWindow = 16 << 20
    #expect(try Self.decode([coded], [.zstd], limits: limits) == plain)
    #expect(try Self.decode([try CodedSample.zstd(plain, windowLog: 23)], [.zstd]) == plain)
  }
}
