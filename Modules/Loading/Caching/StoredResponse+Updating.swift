import CurlewCore
import FoundationEssentials
import HTTPTypes

extension StoredResponse {
  /// Returns whether a 304 or `HEAD` confirms the stored response.
  ///
  /// See RFC 9111 §4.3.3 and §4.3.4.
  ///
  /// Its entity tag must match the stored one by weak comparison: servers that compress on the fly make strong tags
  /// weak.
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

  /// Returns whether a 200 to `HEAD` describes the stored content (RFC 9111 §4.3.5).
  func isDescribed(by head: ResponseHead) -> Bool {
    guard let announced = head.headerFields[values: .contentLength].first else { return isConfirmed(by: head) }
    let stored = self.head.headerFields[values: .contentLength].first
    return isConfirmed(by: head) && (stored == nil || stored == announced)
  }

  /// Returns this response with the fields of a newer head (RFC 9111 §3.2).
  ///
  /// Fields that describe the stored content's coding are kept, because the content does not change.
  func updated(by head: ResponseHead, requestedAt: Date, receivedAt: Date) -> StoredResponse {
    let news = Self.dated(StoredResponse.kept(head.headerFields), receivedAt)
    var replaced = Set(news.map(\.name))
    // The stored `Age` belongs to the earlier response.
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

  /// Returns the fields with a `Date`, which a recipient adds (RFC 9110 §6.6.1).
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
