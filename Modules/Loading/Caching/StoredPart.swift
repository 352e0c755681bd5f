import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The part of a representation in a stored 206 (RFC 9111 §3.3).
///
/// It is kept besides complete responses and answers requests for ranges inside it. Parts are not joined.
struct StoredPart: Sendable, Hashable {
  /// The stored range, which is shorter than `Content-Range` if fewer bytes arrived.
  let range: Range<Int64>
  /// The length of the whole; nil if the server did not know it.
  let total: Int64?

  /// Nil unless it is one range of uncoded content with at most the stated length.
  init?(_ head: ResponseHead, length: Int64?) {
    guard head.status == .partialContent, head.headerFields[.contentEncoding] == nil, head.headerFields[.vary] == nil,
      let line = head.headerFields[.contentRange], let described = try? ContentRange(line), let range = described.range,
      length.map({ $0 >= 0 && $0 <= range.upperBound - range.lowerBound }) ?? true
    else { return nil }
    self.range = length.map { range.lowerBound..<(range.lowerBound + $0) } ?? range
    total = described.total
  }

  /// Returns the bytes that a request asks for, if all of them are stored.
  func bytes(for request: Request) -> Range<Int64>? {
    guard let line = request.headerFields[.range], let set = try? ByteRangeSet(line), set.ranges.count == 1 else {
      return nil
    }
    // Without a total, only a range with both ends is known to end inside.
    guard let asked = set.resolved(length: total ?? .max).first, asked.lowerBound >= range.lowerBound,
      asked.upperBound <= range.upperBound
    else { return nil }
    return asked
  }
}

extension CacheKey {
  /// The key for a part of the same resource.
  var part: CacheKey { CacheKey(text: text + "\npart") }
}
