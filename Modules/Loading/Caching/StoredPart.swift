import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What a stored 206 has of a representation (RFC 9111 §3.3).
///
/// It is kept beside complete responses and answers requests for bytes that are in it. Parts are not joined.
struct StoredPart: Sendable, Hashable {
  /// Which bytes are there; fewer than `Content-Range` says where fewer came.
  let range: Range<Int64>
  /// The length of the whole; nil where the server did not know it.
  let total: Int64?

  /// Nil for what is no single part of uncoded content, or holds more than it says.
  init?(_ head: ResponseHead, length: Int64?) {
    guard head.status == .partialContent, head.headerFields[.contentEncoding] == nil, head.headerFields[.vary] == nil,
      let line = head.headerFields[.contentRange], let described = try? ContentRange(line), let range = described.range,
      length.map({ $0 <= range.upperBound - range.lowerBound }) ?? true
    else { return nil }
    self.range = length.map { range.lowerBound..<(range.lowerBound + $0) } ?? range
    total = described.total
  }

  /// The bytes that a request asks for, where they are all here.
  func bytes(for request: Request) -> Range<Int64>? {
    guard let line = request.headerFields[.range], let set = try? ByteRangeSet(line), set.ranges.count == 1 else {
      return nil
    }
    // Without a total only a range with both ends is known to end inside.
    guard let asked = set.resolved(length: total ?? .max).first, asked.lowerBound >= range.lowerBound,
      asked.upperBound <= range.upperBound
    else { return nil }
    return asked
  }
}

extension CacheKey {
  /// Where a part of the same resource is kept.
  var part: CacheKey { CacheKey(text: text + "\npart") }
}
