/// A generated file of any length, with support for ranges and conditions.
///
/// ```swift
/// let file = SeededResource(length: 1 << 30, seed: 7)
/// let origin = try await ScriptedOrigin.start { file.reply(to: $0) }
/// // file.bytes(from: 1000, count: 16) says what a client must have received
/// ```
/// It supports GET and HEAD, Range with one or several ranges (multipart/byteranges), If-Range, If-None-Match,
/// If-Modified-Since, If-Match and If-Unmodified-Since (RFC 9110 §13 and §14).
public struct SeededResource: Sendable, Hashable {
  /// The length in bytes.
  public var length: Int64
  /// The seed; the same seed gives the same bytes.
  public var seed: UInt64
  /// The entity tag, including quotes and `W/`; nil for none.
  public var entityTag: String?
  /// The Last-Modified date as sent; nil for none.
  ///
  /// Dates are compared as text.
  public var lastModified: String?
  /// The media type.
  public var mediaType = "application/octet-stream"
  /// Whether ranges are served; if false, Range is ignored.
  public var servesRanges = true
  /// Further fields of every reply.
  public var fields: OriginFields = [:]

  /// Creates a resource with a strong entity tag and a Last-Modified date.
  ///
  /// Length and seed determine the tag.
  public init(length: Int64, seed: UInt64 = 0) {
    self.length = max(0, length)
    self.seed = seed
    entityTag = "\"\(self.length)-\(seed)\""
    lastModified = "Sat, 01 Jan 2000 00:00:00 GMT"
  }

  /// Returns the same resource, changed by a closure.
  public func with(_ change: (inout SeededResource) -> Void) -> SeededResource {
    var copy = self
    change(&copy)
    return copy
  }

  /// The bytes as a pattern.
  public var pattern: BytePattern { .seeded(seed) }

  /// Returns some of the bytes; fewer at the end.
  public func bytes(from offset: Int64 = 0, count: Int) -> [UInt8] {
    pattern.bytes(from: offset, count: Int(max(0, min(Int64(count), length - offset))))
  }

  /// Returns an origin's reply to a request for the resource.
  public func reply(to request: OriginRequest) -> OriginReply {
    let method = request.method
    guard method == "GET" || method == "HEAD" else { return .status(405, ["Allow": "GET, HEAD"]) }
    if isPreconditionFailed(request) { return .status(412, validators) }
    if isNotModified(request) { return .status(304, validators.merging(fields)) }
    guard servesRanges, method == "GET", let text = request["Range"], rangeApplies(request["If-Range"]),
      let ranges = ByteRanges.parse(text, length: length)
    else { return whole }
    guard !ranges.isEmpty else {
      return .status(416, validators.merging(["Content-Range": "bytes */\(length)"]).merging(fields))
    }
    return ranges.count == 1 ? part(ranges[0]) : parts(ranges)
  }

  private var validators: OriginFields {
    var fields: OriginFields = [:]
    if let entityTag { fields.append("ETag", entityTag) }
    if let lastModified { fields.append("Last-Modified", lastModified) }
    if servesRanges { fields.append("Accept-Ranges", "bytes") }
    return fields
  }

  private var whole: OriginReply {
    let own: OriginFields = ["Content-Length": "\(length)", "Content-Type": mediaType]
    return OriginReply(.head(200, own.merging(validators).merging(fields)), .fill(pattern, count: length))
  }

  private func part(_ range: ClosedRange<Int64>) -> OriginReply {
    let count = range.upperBound - range.lowerBound + 1
    let own: OriginFields = [
      "Content-Length": "\(count)", "Content-Type": mediaType,
      "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound)/\(length)",
    ]
    return OriginReply(
      .head(206, own.merging(validators).merging(fields)), .fill(pattern, from: range.lowerBound, count: count))
  }

  private func parts(_ ranges: [ClosedRange<Int64>]) -> OriginReply {
    let boundary = "curlew-\(seed)-\(length)"
    var steps: [OriginStep] = []
    var total: Int64 = 0
    for range in ranges {
      let head =
        "\r\n--\(boundary)\r\nContent-Type: \(mediaType)\r\n"
        + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(length)\r\n\r\n"
      let count = range.upperBound - range.lowerBound + 1
      steps += [.body(head), .fill(pattern, from: range.lowerBound, count: count)]
      total += Int64(head.utf8.count) + count
    }
    let end = "\r\n--\(boundary)--\r\n"
    let own: OriginFields = [
      "Content-Length": "\(total + Int64(end.utf8.count))",
      "Content-Type": "multipart/byteranges; boundary=\(boundary)",
    ]
    return OriginReply([.head(206, own.merging(validators).merging(fields))] + steps + [.body(end)])
  }

  // MARK: Conditions

  private func isPreconditionFailed(_ request: OriginRequest) -> Bool {
    if let match = request["If-Match"] {
      return match != "*" && !tags(match).contains { $0 == entityTag && !$0.hasPrefix("W/") }
    }
    return request["If-Unmodified-Since"].map { $0 != lastModified } ?? false
  }

  private func isNotModified(_ request: OriginRequest) -> Bool {
    if let match = request["If-None-Match"] {
      return match == "*" || tags(match).contains { opaque($0) == entityTag.map(opaque) }
    }
    return request["If-Modified-Since"].map { $0 == lastModified } ?? false
  }

  /// Returns whether If-Range matches (RFC 9110 §13.1.5).
  ///
  /// It requires a strong tag or the same date.
  private func rangeApplies(_ condition: String?) -> Bool {
    guard let condition else { return true }
    if condition.hasPrefix("\"") { return condition == entityTag }
    return condition == lastModified
  }

  private func tags(_ list: String) -> [String] { list.split(separator: ",").map { $0.trimmed } }

  private func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
}

/// The origin's own parser of Range, so that it does not repeat a client's mistake.
enum ByteRanges {
  /// Returns the ranges of a field; nil if the field is to be ignored.
  ///
  /// Empty if no range can be satisfied (RFC 9110 §14.1.2).
  static func parse(_ text: String, length: Int64) -> [ClosedRange<Int64>]? {
    guard text.lowercased().hasPrefix("bytes=") else { return nil }
    var ranges: [ClosedRange<Int64>] = []
    let specs = text.dropFirst(6).split(separator: ",")
    guard !specs.isEmpty, specs.count <= 100 else { return nil }
    for spec in specs {
      let ends = spec.trimmed.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard ends.count == 2, ends.contains(where: { !$0.isEmpty }) else { return nil }
      guard ends.allSatisfy({ $0.isEmpty || ($0.allSatisfy(\.isNumber) && Int64($0) != nil) }) else { return nil }
      switch (Int64(ends[0]), Int64(ends[1])) {
      case (let first?, let last?):
        guard first <= last else { return nil }
        if first < length { ranges.append(first...min(last, length - 1)) }
      case (let first?, nil):
        if first < length { ranges.append(first...(length - 1)) }
      case (nil, let suffix?):
        if suffix > 0, length > 0 { ranges.append(max(0, length - suffix)...(length - 1)) }
      case (nil, nil): return nil
      }
    }
    return ranges
  }
}
