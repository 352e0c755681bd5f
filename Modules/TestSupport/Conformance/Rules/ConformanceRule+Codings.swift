import CurlewContentCoding
import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for content codings (RFC 9110 §8.4).
  ///
  /// They check what a transport delivers and how `ContentDecoding` decodes it. They also apply to a transport without the
  /// capability `rawContent`, which decodes by itself.
  static let codingRules: [ConformanceRule] = [
    .codedWhenRaw, .contentAsSent, .offeredCodingsUndone, .undoneCodingTold, .codedLengthUnknown, .severalCodingsUndone,
    .membersRead, .bareDeflateUndone, .emptyCodedContent, .brokenCodingReported, .checksumChecked,
    .trailingBytesRefused, .truncatedCodingReported, .truncatedCodingNotStored, .unknownCodingHandedOn,
    .partialContentLeftCoded, .headOfCodedContentKept, .bombEnded,
  ]
}

extension ConformanceKit {
  /// Sends a request through a loader that decodes, and reads the body.
  fileprivate func fetchDecoded(
    _ request: Request, _ decoding: ContentDecoding = ContentDecoding(), caching: Caching? = nil
  ) async throws -> (head: ResponseHead, body: Data) {
    let loader = Loader(transport, chain: InterceptorChain(decoding: decoding, caching: caching))
    let response = try await loader.load(request, in: exchange())
    return (response.head, try await collect(response.body, upTo: 256 << 20))
  }

  fileprivate func fetchDecoded(_ place: ConformancePlace) async throws -> (head: ResponseHead, body: Data) {
    try await fetchDecoded(Request(.get, place.url()))
  }
}

extension ConformanceRule {
  package static let codedWhenRaw = ConformanceRule(
    "coded-when-raw", "content stays coded if the request asks for that", source: "RequestOptions",
    because: "A cache and a proxy need the bytes as they were sent.", capabilities: .rawContent, features: .codings
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    var request = Request(.get, place.url())
    request.options.decodesContent = false
    let answer = try await kit.fetchDecoded(request)
    try kit.expectEqual(answer.body, Data(CodedText.gzip), "the body")
    try kit.expectEqual(answer.head.headerFields[.contentEncoding], "gzip", "the coding")
  }

  package static let contentAsSent = ConformanceRule(
    "content-as-sent", "a transport delivers coded content byte for byte, with its fields and its length",
    source: "TransportCapabilities",
    because: "A decoder can only undo what has arrived unchanged.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    let contents: [(String, [UInt8])] = [
      ("gzip", CodedText.gzip), ("br", CodedText.brotli), ("gzip", Array(CodedText.gzip.dropLast(24))),
      ("gzip", CodedText.gzip + [1, 2, 3]), ("deflate", [0, 1, 2, 3]), ("foo", [4, 5, 6]),
    ]
    for (coding, bytes) in contents {
      let answer = try await kit.fetch(kit.serve(CodedText.answer(coding, bytes)))
      try kit.expectEqual(answer.body, Data(bytes), "the body in \(coding)")
      try kit.expectEqual(answer.head.headerFields[.contentEncoding], coding, "the coding")
      try kit.expectEqual(answer.head.expectedLength, Int64(bytes.count), "the expected length")
      try kit.expectEqual(answer.head.undoneCoding, nil, "the decoded codings")
    }
  }

  package static let offeredCodingsUndone = ConformanceRule(
    "offered-codings-undone", "codings are offered, gzip among them, and each offered coding is decoded",
    source: "RFC 9110 §12.5.3",
    because: "A client must understand what it offers.",
    features: [.codings, .madeFields]
  ) { kit in
    let first = kit.serve()
    _ = try await kit.fetchDecoded(first)
    let offered = (first.requests.first?.fields["Accept-Encoding"] ?? "").split(separator: ",").map { item in
      String(item.prefix { $0 != ";" }).filter { $0 != " " }.lowercased()
    }
    try kit.expect(offered.contains("gzip"), "it offered \(offered)")
    for coding in offered where coding != "identity" {
      guard let bytes = CodedText.byCoding[coding] else {
        throw ConformanceFailure("it offers \(coding), for which this rule has no example")
      }
      let place = kit.serve(CodedText.answer(coding, bytes))
      try kit.expectEqual(try await kit.fetchDecoded(place).body, CodedText.plain, "the body in \(coding)")
    }
  }

  package static let undoneCodingTold = ConformanceRule(
    "undone-coding-told", "a head says which coding was decoded, and no longer describes the coded content",
    source: "ResponseHead",
    because: "Digests and ranges describe the coded content, so the layers above must know that it was decoded.",
    features: [.codings, .madeFields]
  ) { kit in
    let head = try await kit.fetchDecoded(kit.serve(CodedText.answer("X-GZIP", CodedText.gzip))).head
    try kit.expectEqual(head.undoneCoding?.codings, [.gzip], "the decoded codings")
    try kit.expectEqual(head.undoneCoding?.codedLength, Int64(CodedText.gzip.count), "the coded length")
    try kit.expectEqual(head.headerFields[.contentEncoding], nil, "Content-Encoding")
    try kit.expectEqual(head.headerFields[.contentLength], nil, "Content-Length")
    try kit.expectEqual(head.headerFields[.contentType], "text/plain", "Content-Type")
  }

  package static let codedLengthUnknown = ConformanceRule(
    "coded-length-unknown", "the length of coded content is not reported as that of the body", source: "ResponseHead",
    because: "`Content-Length` counts coded bytes; a progress bar would stop early or overflow.",
    features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    try kit.expectEqual(try await kit.fetchDecoded(place).head.expectedLength, nil, "the expected length")
  }

  package static let severalCodingsUndone = ConformanceRule(
    "several-codings-undone", "several codings are decoded, the last applied first", source: "RFC 9110 §8.4",
    because: "Codings are listed in the order of their application.", features: [.codings, .madeFields]
  ) { kit in
    // A zlib stream around the gzip member, as one stored block.
    let inner = CodedText.gzip
    var outer: [UInt8] = [0x78, 0x01, 0x01, UInt8(inner.count), 0, ~UInt8(inner.count), 0xff] + inner
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in inner {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    outer += [UInt8(high >> 8), UInt8(high & 0xff), UInt8(low >> 8), UInt8(low & 0xff)]
    let answer = try await kit.fetchDecoded(kit.serve(CodedText.answer("gzip, deflate", outer)))
    try kit.expectEqual(answer.body, CodedText.plain, "the body")
    try kit.expectEqual(answer.head.undoneCoding?.codings, [.gzip, .deflate], "the decoded codings")
  }

  package static let membersRead = ConformanceRule(
    "members-read", "all members of gzip and all frames of zstd are read", source: "RFC 1952 §2.2, RFC 8878 §3",
    because: "Coded content may have several parts.", features: [.codings, .madeFields]
  ) { kit in
    let twice = CodedText.plain + CodedText.plain
    for (coding, bytes) in [("gzip", CodedText.gzip), ("zstd", CodedText.zstandard)] {
      let place = kit.serve(CodedText.answer(coding, bytes + bytes))
      try kit.expectEqual(try await kit.fetchDecoded(place).body, twice, "the body in \(coding)")
    }
  }

  package static let bareDeflateUndone = ConformanceRule(
    "bare-deflate-undone", "deflate without the zlib format is read too", source: "RFC 9110 §8.4.1.2",
    because: "Some servers send deflate without the zlib format.", features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("deflate", CodedText.deflated))
    try kit.expectEqual(try await kit.fetchDecoded(place).body, CodedText.plain, "the body")
  }

  package static let emptyCodedContent = ConformanceRule(
    "empty-coded-content", "coded content without bytes is an empty body", source: "RFC 9110 §8.4",
    because: "Servers send an empty body with `Content-Encoding`, which is no truncated gzip.",
    features: [.codings, .madeFields]
  ) { kit in
    for bytes in [[], CodedText.emptyGzip] {
      let place = kit.serve(CodedText.answer("gzip", bytes))
      try kit.expectEqual(try await kit.fetchDecoded(place).body, Data(), "the body of \(bytes.count) coded bytes")
    }
  }

  package static let brokenCodingReported = ConformanceRule(
    "broken-coding-reported", "content that cannot be decoded ends in contentDecodingFailed", source: "RFC 9110 §8.4",
    because: "Damaged bytes must not be taken for content.",
    features: [.codings, .madeFields]
  ) { kit in
    var broken = CodedText.gzip
    for index in 12..<40 { broken[index] = 0xff }
    let place = kit.serve(CodedText.answer("gzip", broken))
    try await kit.expectError(.contentDecodingFailed, "reading it") { _ = try await kit.fetchDecoded(place) }
  }

  package static let checksumChecked = ConformanceRule(
    "checksum-checked", "content that does not match its checksum ends in contentDecodingFailed",
    source: "RFC 1952 §2.3.1, RFC 1950 §2.2, RFC 8878 §3.1.1",
    because: "Codings have checksums.",
    features: [.codings, .madeFields]
  ) { kit in
    for (coding, bytes, place) in [("gzip", CodedText.gzip, 6), ("deflate", CodedText.deflate, 2)] {
      var wrong = bytes
      wrong[wrong.count - place] ^= 0xff
      let served = kit.serve(CodedText.answer(coding, wrong))
      try await kit.expectError(.contentDecodingFailed, "reading \(coding)") { _ = try await kit.fetchDecoded(served) }
    }
  }

  package static let trailingBytesRefused = ConformanceRule(
    "trailing-bytes-refused", "bytes after coded content end in contentDecodingFailed, zeros after gzip do not",
    source: "RFC 1952 §2.2",
    because: "Bytes after the last member may be a damaged member; zeros are padding.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    for (coding, bytes) in CodedText.byCoding {
      let place = kit.serve(CodedText.answer(coding, bytes + Array("garbage".utf8)))
      try await kit.expectError(.contentDecodingFailed, "reading \(coding)") { _ = try await kit.fetchDecoded(place) }
    }
    let padded = kit.serve(CodedText.answer("gzip", CodedText.gzip + [UInt8](repeating: 0, count: 300)))
    try kit.expectEqual(try await kit.fetchDecoded(padded).body, CodedText.plain, "the body before zeros")
  }

  package static let truncatedCodingReported = ConformanceRule(
    "truncated-coding-reported", "content that is truncated inside its coding ends in truncatedBody, in every framing",
    source: "RFC 9110 §8.4",
    because: "Content may be truncated inside its coding although its framing is complete.",
    features: [.codings, .madeFields, .framings]
  ) { kit in
    for (coding, bytes) in CodedText.byCoding {
      for framing in [ConformanceAnswer.Framing.length, .chunked(size: 7), .close, .http10] {
        for length in [1, 2, bytes.count / 2, bytes.count - 1] {
          var answer = CodedText.answer(coding, Array(bytes.prefix(length)))
          answer.framing = framing
          let place = kit.serve(answer)
          try await kit.expectError([.truncatedBody, .contentDecodingFailed], "reading \(length) bytes of \(coding)") {
            _ = try await kit.fetchDecoded(place)
          }
        }
      }
    }
    var nothing = CodedText.answer("gzip", [])
    nothing.framing = .close
    let place = kit.serve(nothing)
    try await kit.expectError(.truncatedBody, "reading nothing") { _ = try await kit.fetchDecoded(place) }
  }

  package static let truncatedCodingNotStored = ConformanceRule(
    "truncated-coding-not-stored", "content that is truncated inside its coding is not answered from a cache",
    source: "RFC 9111 §3.3",
    because: "The cache stores what was sent, and must learn that it was incomplete.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    let caching = Caching(MemoryCacheStore())
    let whole = Guarded(false)
    let place = kit.serve { _ in
      let bytes = whole.withLock { $0 } ? CodedText.brotli : Array(CodedText.brotli.dropLast(5))
      var answer = CodedText.answer("br", bytes)
      answer.fields.append("Cache-Control", "max-age=1000")
      return answer
    }
    let request = Request(.get, place.url())
    for _ in 0..<2 {
      try await kit.expectError(.truncatedBody, "reading it") {
        _ = try await kit.fetchDecoded(request, caching: caching)
      }
    }
    try kit.expectEqual(place.requests.count, 2, "the requests")
    whole.withLock { $0 = true }
    for source in [ResponseHead.Source.network, .cache] {
      let answer = try await kit.fetchDecoded(request, caching: caching)
      try kit.expectEqual(answer.body, CodedText.plain, "the body")
      try kit.expectEqual(answer.head.source, source, "the source of the response")
    }
  }

  package static let unknownCodingHandedOn = ConformanceRule(
    "unknown-coding-handed-on", "content in an unknown coding is delivered as it was sent", source: "RFC 9110 §8.4",
    because: "In an unknown coding, only the reader understands the bytes.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    for coding in ["foo", "none", "foo, gzip", "gzip, foo", "compress"] {
      let answer = try await kit.fetchDecoded(kit.serve(CodedText.answer(coding, CodedText.gzip)))
      try kit.expectEqual(answer.body, Data(CodedText.gzip), "the body in \(coding)")
      try kit.expectEqual(answer.head.headerFields[.contentEncoding], coding, "the coding")
      try kit.expectEqual(answer.head.expectedLength, Int64(CodedText.gzip.count), "the expected length")
      try kit.expectEqual(answer.head.undoneCoding, nil, "the decoded codings")
    }
  }

  package static let partialContentLeftCoded = ConformanceRule(
    "partial-content-left-coded", "a request for a range offers no coding, and a part of coded content stays as it is",
    source: "RFC 9110 §14.2",
    because: "A range refers to the coded content.",
    capabilities: .rawContent, features: [.codings, .madeFields]
  ) { kit in
    let part = Array(CodedText.gzip[10..<20])
    let place = kit.serve(
      ConformanceAnswer(
        206, fields: ["Content-Encoding": "gzip", "Content-Range": "bytes 10-19/\(CodedText.gzip.count)"],
        content: .bytes(part)))
    let answer = try await kit.fetchDecoded(Request(.get, place.url(), headerFields: [.range: "bytes=10-19"]))
    try kit.expectEqual(answer.body, Data(part), "the body")
    try kit.expectEqual(answer.head.headerFields[.contentEncoding], "gzip", "the coding")
    try kit.expectEqual(place.requests.first?.fields["Accept-Encoding"], nil, "the offered codings")
  }

  package static let headOfCodedContentKept = ConformanceRule(
    "head-of-coded-content-kept", "the head of coded content without its body stays as it is",
    source: "RFC 9110 §9.3.2",
    because: "A response to HEAD has the fields of one to GET.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    let answer = try await kit.fetchDecoded(Request(.head, place.url()))
    try kit.expectEqual(answer.body, Data(), "the body")
    try kit.expectEqual(answer.head.headerFields[.contentEncoding], "gzip", "the coding")
    try kit.expectEqual(answer.head.headerFields[.contentLength], String(CodedText.gzip.count), "the length")
  }

  package static let bombEnded = ConformanceRule(
    "bomb-ended", "content that decodes to more than the limits allow ends in decodingLimitExceeded",
    source: "ContentDecodingLimits",
    because: "A few kilobytes can decode to gigabytes.",
    capabilities: .rawContent, features: .codings
  ) { kit in
    let place = kit.serve(CodedText.answer("zstd", CodedText.zeros(blocks: 64)))
    let request = Request(.get, place.url())
    try kit.expectEqual(try await kit.fetchDecoded(request).body.count, 64 * 131_072, "the body within the limits")
    var limits = ContentDecodingLimits()
    limits.output = 1 << 20
    let small = ContentDecoding(limits: limits)
    try await kit.expectError(.decodingLimitExceeded, "too much output") {
      _ = try await kit.fetchDecoded(request, small)
    }
    limits = ContentDecodingLimits()
    limits.allowance = 1 << 20
    let level = ContentDecoding(limits: limits)
    try await kit.expectError(.decodingLimitExceeded, "too high a ratio") {
      _ = try await kit.fetchDecoded(request, level)
    }
  }
}

/// The same text in every coding.
enum CodedText {
  static let plain = Data(String(repeating: "Curlew calls over the estuary. ", count: 20).utf8)

  static func answer(_ coding: String, _ bytes: [UInt8]) -> ConformanceAnswer {
    ConformanceAnswer(fields: ["Content-Encoding": coding, "Content-Type": "text/plain"], content: .bytes(bytes))
  }

  static let byCoding: [String: [UInt8]] = [
    "gzip": gzip, "x-gzip": gzip, "deflate": deflate, "br": brotli, "zstd": zstandard,
  ]

  static let gzip: [UInt8] =
    [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03] + deflated + [0xb4, 0x48, 0x8b, 0x8b, 0x6c, 0x02, 0, 0]

  /// A gzip member without content.
  static let emptyGzip: [UInt8] = [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  /// Returns a zstd frame of zeros, four bytes per 128 kB (RFC 8878 §3.1.1.2).
  ///
  /// Each block repeats one byte.
  static func zeros(blocks: Int) -> [UInt8] {
    let block = 128 << 10
    // A window of 128 kB; no content size, no checksum.
    var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3]
    for number in 1...max(1, blocks) {
      let header = UInt32(block << 3 | 1 << 1 | (number == blocks ? 1 : 0))
      frame += [UInt8(truncatingIfNeeded: header), UInt8(truncatingIfNeeded: header >> 8), UInt8(header >> 16), 0]
    }
    return frame
  }

  /// The text in the zlib format (RFC 9110 §8.4.1.2).
  static let deflate: [UInt8] = [0x78, 0xda] + deflated + [0xa1, 0xef, 0xe2, 0xf5]

  /// The text in deflate without a surrounding format.
  static let deflated: [UInt8] = [
    0x73, 0x2e, 0x2d, 0xca, 0x49, 0x2d, 0x57, 0x48, 0x4e, 0xcc, 0xc9, 0x29, 0x56, 0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28,
    0xc9, 0x48, 0x55, 0x48, 0x2d, 0x2e, 0x29, 0x4d, 0x2c, 0xaa, 0xd4, 0x53, 0x70, 0x1e, 0x95, 0x1e, 0x95, 0xa6, 0x96,
    0x34, 0x00,
  ]

  static let brotli: [UInt8] = [
    0x1b, 0x6b, 0x02, 0xf8, 0x45, 0x27, 0x47, 0x7a, 0xa0, 0x44, 0x22, 0x0a, 0x6e, 0xd1, 0xeb, 0x6b, 0xe5, 0x21, 0xb3,
    0xf4, 0x96, 0x2e, 0x90, 0xb1, 0x4e, 0xd2, 0x6a, 0xde, 0x1f, 0xfd, 0x00, 0x67, 0x5d, 0xfa, 0x00,
  ]

  static let zstandard: [UInt8] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x64, 0x6c, 0x01, 0x3d, 0x01, 0x00, 0xf8, 0x43, 0x75, 0x72, 0x6c, 0x65, 0x77, 0x20, 0x63,
    0x61, 0x6c, 0x6c, 0x73, 0x20, 0x6f, 0x76, 0x65, 0x72, 0x20, 0x74, 0x68, 0x65, 0x20, 0x65, 0x73, 0x74, 0x75, 0x61,
    0x72, 0x79, 0x2e, 0x20, 0x01, 0x00, 0x2b, 0x11, 0x95, 0x72, 0x02, 0x9e, 0x97, 0x30, 0xb6,
  ]
}
