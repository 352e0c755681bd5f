import CurlewCore
import FoundationEssentials
import HTTPTypes

extension StoredResponse {
  /// Whether a 304, or the head of a 200 to a `HEAD`, speaks of what is stored (RFC 9111 §4.3.3, §4.3.4).
  ///
  /// A tag that came with it must be the stored one, weakly: servers that compress on the way make strong tags weak.
  func isConfirmed(by head: ResponseHead) -> Bool {
    let fields = self.head.headerFields
    if let tag = head.headerFields[values: .eTag].first, let stored = fields[values: .eTag].first {
      guard let tag = EntityTag(tag), let stored = EntityTag(stored) else { return tag == stored }
      return tag.matchesWeakly(stored)
    }
    if let modified = head.headerFields[values: .lastModified].first, fields[.eTag] == nil,
      let stored = fields[values: .lastModified].first
    {
      return modified == stored
    }
    return true
  }

  /// Whether a 200 to a `HEAD` describes the stored content as far as can be seen (RFC 9111 §4.3.5).
  func isDescribed(by head: ResponseHead) -> Bool {
    guard let announced = head.headerFields[values: .contentLength].first else { return isConfirmed(by: head) }
    let stored = self.head.headerFields[values: .contentLength].first
    return isConfirmed(by: head) && (stored == nil || stored == announced)
  }

  /// This response with the fields that a newer head brought (RFC 9111 §3.2).
  ///
  /// Those that say how the stored content is made are kept: it was decoded when it was stored.
  func updated(by head: ResponseHead, requestedAt: Date, receivedAt: Date) -> StoredResponse {
    let news = Self.dated(StoredResponse.kept(head.headerFields), receivedAt)
    var replaced = Set(news.map(\.name))
    // An age of then says nothing of now.
    replaced.insert(.age)
    replaced.subtract(Self.describing)
    var fields = self.head.headerFields.filter { !replaced.contains($0.name) }
    fields += news.filter { replaced.contains($0.name) }
    var updated = self
    updated.head.headerFields = HTTPFields(fields)
    updated.requestedAt = requestedAt
    updated.receivedAt = receivedAt
    return updated
  }

  /// The fields with a `Date`, which a recipient adds where there is none (RFC 9110 §6.6.1).
  static func dated(_ fields: HTTPFields, _ receivedAt: Date) -> HTTPFields {
    guard fields[.date] == nil else { return fields }
    var fields = fields
    fields[.date] = HTTPDate(receivedAt).description
    return fields
  }

  private static let describing: Set<HTTPField.Name> = [
    .contentLength, .contentEncoding, .contentRange, .transferEncoding,
  ]
}
