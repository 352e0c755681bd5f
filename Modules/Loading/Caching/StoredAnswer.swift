import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The answer of a stored response: all of it, a part, its head, or a 304.
struct StoredAnswer {
  /// The head of the answer.
  let head: ResponseHead
  /// The range of the content.
  let range: Range<Int64>

  /// Creates the answer; nil if only the server can answer.
  ///
  /// That is so for conditions on its state, for several ranges, and for ranges of coded content.
  init?(_ stored: StoredResponse, to asked: CacheRequest, source: ResponseHead.Source, now: Date, secret: CacheSecret) {
    let request = asked.request
    // A store of the app's can return any length.
    guard stored.length >= 0 else { return nil }
    guard request.headerFields[.ifMatch] == nil, request.headerFields[.ifUnmodifiedSince] == nil else { return nil }
    var head = stored.head
    head.source = source
    head.url = request.url
    if source == .cache, case .fields(let names)? = CacheControl(of: head.headerFields).noCache {
      head.headerFields = HTTPFields(head.headerFields.filter { !names.contains($0.name) })
    }
    head.headerFields[.age] = String(Int64(min(CacheFreshness.age(of: stored, now: now), 1e15)))

    if stored.head.status == .partialContent {
      guard asked.asksForRange, let part = StoredPart(stored.head, length: stored.length),
        Self.rangeApplies(stored, for: request)
      else { return nil }
      // An equal request gets the same answer, whatever range the server chose.
      let asked = stored.matches(request.headerFields, secret: secret) ? part.range : part.bytes(for: request)
      guard let asked, !asked.isEmpty else { return nil }
      if asked != part.range { head.describe(asked, total: part.total) }
      self.head = head
      range = (asked.lowerBound - part.range.lowerBound)..<(asked.upperBound - part.range.lowerBound)
      return
    }
    if Self.isUnchanged(stored, for: request) {
      head.status = .notModified
      head.expectedLength = 0
      self.head = head
      range = 0..<0
      return
    }
    if asked.asksForRange, stored.head.status == .ok, Self.rangeApplies(stored, for: request) {
      guard stored.head.headerFields[.contentEncoding] == nil,
        let part = Self.singleRange(of: request, length: stored.length)
      else { return nil }
      head.status = .partialContent
      head.describe(part, total: stored.length)
      self.head = head
      range = part
      return
    }
    range = request.method == .head ? 0..<0 : 0..<stored.length
    head.expectedLength = range.upperBound
    self.head = head
  }

  /// Returns the response with a body that reads the content.
  ///
  /// - Parameter forget: Removes the entry; called by a reader that finds the content to be wrong.
  func response(_ content: any CacheContent, forget: @escaping @Sendable () async -> Void) -> Response {
    if range.isEmpty { return Response(head: head, body: ResponseBody(Data())) }
    return Response(head: head, body: ResponseBody(StoredBody(content, range, forget)))
  }

  /// Evaluates the app's own condition (RFC 9110 §13.1.2, §13.1.3).
  private static func isUnchanged(_ stored: StoredResponse, for request: Request) -> Bool {
    guard stored.head.status == .ok else { return false }
    let fields = stored.head.headerFields
    if let line = request.headerFields[.ifNoneMatch] {
      guard let condition = try? EntityTagCondition(line) else { return false }
      return condition.contains(fields[values: .eTag].first.flatMap { EntityTag($0) }, strongly: false)
    }
    let received = HTTPDate(stored.receivedAt)
    guard let since = request.headerFields[values: .ifModifiedSince].first.flatMap({ HTTPDate($0, now: received) })
    else { return false }
    let modified = fields[values: .lastModified].first ?? fields[values: .date].first
    return modified.flatMap { HTTPDate($0, now: received) }.map { $0 <= since } ?? false
  }

  /// Evaluates `If-Range`: a strong tag, or exactly the date (RFC 9110 §13.1.5).
  private static func rangeApplies(_ stored: StoredResponse, for request: Request) -> Bool {
    guard let condition = request.headerFields[.ifRange] else { return true }
    let fields = stored.head.headerFields
    if let tag = EntityTag(condition) {
      return fields[values: .eTag].first.flatMap { EntityTag($0) }.map { tag.matchesStrongly($0) } ?? false
    }
    return fields[values: .lastModified].first == condition
  }

  private static func singleRange(of request: Request, length: Int64) -> Range<Int64>? {
    guard let line = request.headerFields[.range], let set = try? ByteRangeSet(line), set.ranges.count == 1 else {
      return nil
    }
    return set.resolved(length: length).first
  }
}

extension ResponseHead {
  /// Sets the fields for content that is one range of the whole.
  fileprivate mutating func describe(_ range: Range<Int64>, total: Int64?) {
    headerFields[.contentRange] = ContentRange(range, total: total)?.description
    headerFields[.contentLength] = String(range.upperBound - range.lowerBound)
    expectedLength = range.upperBound - range.lowerBound
  }
}

/// Reads stored content in pieces.
private final class StoredBody: ResponseBodySource {
  private static let piece = 65_536
  private let content: any CacheContent
  /// Nil once it is cancelled.
  private let rest: Guarded<Range<Int64>?>
  private let forget: @Sendable () async -> Void

  init(_ content: any CacheContent, _ range: Range<Int64>, _ forget: @escaping @Sendable () async -> Void) {
    self.content = content
    self.forget = forget
    rest = Guarded(range)
  }

  var trailers: HTTPFields? { nil }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    let part = try rest.withLock { rest in
      guard let left = rest else { throw CancellationError() }
      let end = min(left.upperBound, left.lowerBound + Int64(Self.piece))
      rest = end..<left.upperBound
      return left.lowerBound..<end
    }
    guard !part.isEmpty else { return nil }
    let count = Int(part.upperBound - part.lowerBound)
    let bytes: Data?
    do { bytes = try content.read(at: part.lowerBound, upTo: count) } catch { throw Self.lost(error) }
    guard let bytes, bytes.count == count else { throw Self.lost(nil) }
    return bytes
  }

  func cancel() { rest.withLock { $0 = nil } }

  func reject() async {
    cancel()
    await forget()
  }

  private static func lost(_ error: (any Error)?) -> NetworkError {
    NetworkError(
      .fileError, stage: .receivingBody, message: "A stored response could not be read.",
      advice: "Send the request again.",
      underlying: error)
  }
}

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
