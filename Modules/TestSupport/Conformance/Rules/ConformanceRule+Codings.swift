import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// Content codings (RFC 9110 §8.4).
  static let codingRules: [ConformanceRule] = [
    .gzipUndone, .offeredCodingsUndone, .codedLengthUnknown, .codedWhenRaw, .brokenCodingReported,
    .truncatedCodingReported,
  ]
}

extension ConformanceRule {
  /// The coding every server speaks.
  public static let gzipUndone = ConformanceRule(
    "gzip-undone", "gzip is offered and undone", features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    try kit.expectEqual(try await kit.fetch(place).body, CodedText.plain, "the body")
    let offered = place.requests.first?.fields["Accept-Encoding"] ?? ""
    try kit.expect(offered.contains("gzip"), "it offered \(offered)")
  }

  /// RFC 9110 §12.5.3: what is offered must be understood.
  public static let offeredCodingsUndone = ConformanceRule(
    "offered-codings-undone", "every coding that is offered is undone", features: [.codings, .madeFields]
  ) { kit in
    let first = kit.serve()
    _ = try await kit.fetch(first)
    let offered = (first.requests.first?.fields["Accept-Encoding"] ?? "").split(separator: ",").map { item in
      String(item.prefix { $0 != ";" }).filter { $0 != " " }.lowercased()
    }
    for coding in offered where coding != "identity" {
      guard let bytes = CodedText.byCoding[coding] else {
        throw ConformanceFailure("it offers \(coding), of which this rule knows no example")
      }
      let place = kit.serve(CodedText.answer(coding, bytes))
      try kit.expectEqual(try await kit.fetch(place).body, CodedText.plain, "the body in \(coding)")
    }
  }

  /// `ResponseHead.expectedLength`: nil when the content is coded.
  public static let codedLengthUnknown = ConformanceRule(
    "coded-length-unknown", "the length of coded content is not taken for the body's",
    features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    try kit.expectEqual(try await kit.fetch(place).head.expectedLength, nil, "the expected length")
  }

  /// `RequestOptions.decodesContent`.
  public static let codedWhenRaw = ConformanceRule(
    "coded-when-raw", "content stays coded when that is asked for", capabilities: .rawContent, features: .codings
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", CodedText.gzip))
    var request = Request(.get, place.url())
    request.options.decodesContent = false
    let answer = try await kit.fetch(request)
    try kit.expectEqual(answer.body, Data(CodedText.gzip), "the body")
    try kit.expectEqual(answer.head.headerFields[.contentEncoding], "gzip", "the coding")
  }

  /// Damaged bytes are no content.
  public static let brokenCodingReported = ConformanceRule(
    "broken-coding-reported", "content that cannot be decoded ends in contentDecodingFailed",
    features: [.codings, .madeFields]
  ) { kit in
    var broken = CodedText.gzip
    for index in 12..<40 { broken[index] = 0xff }
    let place = kit.serve(CodedText.answer("gzip", broken))
    try await kit.expectError(.contentDecodingFailed, "reading it") { _ = try await kit.fetch(place) }
  }

  /// A coded body that stops early is not whole, although its length was kept.
  public static let truncatedCodingReported = ConformanceRule(
    "truncated-coding-reported", "coded content that stops early is not taken for whole",
    features: [.codings, .madeFields]
  ) { kit in
    let place = kit.serve(CodedText.answer("gzip", Array(CodedText.gzip.dropLast(24))))
    try await kit.expectError([.contentDecodingFailed, .truncatedBody], "reading it") { _ = try await kit.fetch(place) }
  }
}

/// One text in every coding.
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

  /// In the zlib format, as RFC 9110 §8.4.1.2 has it.
  static let deflate: [UInt8] = [0x78, 0xda] + deflated + [0xa1, 0xef, 0xe2, 0xf5]

  private static let deflated: [UInt8] = [
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
