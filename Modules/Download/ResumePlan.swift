public import CurlewCore
import HTTPTypes

/// Decides how to use a response, given the stored bytes.
///
/// It is a pure function. Bytes are combined only when the response proves that they belong together: by the validator that
/// was sent in `If-Range`, by a `Content-Range` that matches the request, and by an unchanged length of the whole (RFC 9110
/// §14, §13.1.5). A 206 must repeat the validator (§15.3.7); one that does not proves nothing.
///
/// ```swift
/// let point = ResumePoint(length: 500, validator: .entityTag("v1"), total: 1234)
/// let plan = ResumePlan(point, asked: point.offset, head)   // 206, bytes 500-1233/1234, ETag: "v1"
/// plan.action  // .append(at: 500)
/// ```
public struct ResumePlan: Sendable, Hashable {
  /// The possible decisions.
  public enum Action: Sendable, Hashable {
    /// Append the body to the stored bytes, which end at this offset.
    case append(at: Int64)
    /// Truncate the stored bytes to this length, and append the body.
    case truncate(to: Int64)
    /// Discard the stored bytes, and write the body from the beginning.
    case startAnew
    /// Finish without the body, because the response says that nothing is missing.
    case complete
    /// Request the whole file again; the stored bytes stay until it arrives.
    case restart(Reason)
    /// Fail, and leave the stored bytes unchanged.
    case refuse(Refusal)
  }

  /// The reasons why a range is useless.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The `Content-Range` is missing, malformed or repeated, begins after the stored bytes, or has no missing bytes.
    case contentRange = "has no usable Content-Range"
    /// The announced length differs from the length of the range.
    case length = "has another length than its Content-Range"
    /// It is a multipart message.
    case multipart = "is a multipart message"
    /// The response is compressed, so its offsets are not those of the file.
    case coded = "is coded"
    /// The file has another validator or length than the stored bytes.
    case changed = "is of a changed file"
    /// It does not prove that it is the same file: it lacks the validator, or comes from another URL.
    case unproven = "does not prove that it is of the same file"
    /// The server has no bytes at the offset (416), but the stored bytes are not all.
    case unsatisfied = "says that the file ends elsewhere"
  }

  /// The reasons why a response cannot be used.
  public enum Refusal: Sendable, Hashable, CaseIterable {
    /// The status is not successful, or is one without the file, such as 204, while bytes are stored.
    case status
    /// A part arrived although the whole file was requested.
    case unaskedRange
    /// The body is coded and the coding was not decoded.
    case coded
    /// A fresh link leads to another file.
    case changed
  }

  /// The decision.
  public var action: Action
  /// The validator of the resulting file.
  public var validator: EntityValidator?
  /// The `Last-Modified` beside an entity tag; nil if there is none.
  public var lastModified: String?
  /// The length of the whole file; nil if unknown.
  ///
  /// A body without a length has at least this length if it is of the same version; if it is shorter, it was cut off.
  public var total: Int64?
  /// The offset after the last byte of the body; nil if unknown.
  public var end: Int64?

  /// Decides how to use a response.
  ///
  /// - Parameters:
  ///   - point: The stored bytes.
  ///   - asked: The offset in `Range`; nil if the whole file was requested.
  ///   - head: The response.
  public init(_ point: ResumePoint, asked: Int64?, _ head: ResponseHead) {
    self.init(point, asked: asked, head, readsValidator: true)
  }

  /// Decides how to use a response.
  ///
  /// - Parameter readsValidator: Whether `validator` is read from a whole response; a caller that keeps the head can read it
  ///   when it is needed.
  init(_ point: ResumePoint, asked: Int64?, _ head: ResponseHead, readsValidator: Bool) {
    switch head.status.code {
    case 206: self = Self.part(point, asked, head)
    case 416: self = Self.unsatisfied(point, asked, head)
    case 200...299: self = Self.whole(point, head, readsValidator)
    default: self.init(.refuse(.status), point)
    }
  }

  private init(_ action: Action, _ point: ResumePoint) {
    self.action = action
    validator = point.validator
    lastModified = point.lastModified
    total = point.total
  }

  private init(_ action: Action, _ point: ResumePoint, total: Int64?, end: Int64?) {
    self.init(action, point)
    self.total = total
    self.end = end
  }

  private init(startingAnewWith head: ResponseHead, total: Int64?, end: Int64?, readsValidator: Bool = true) {
    action = .startAnew
    validator = readsValidator ? EntityValidator(head) : nil
    lastModified = validator?.companion(in: head)
    self.total = total
    self.end = end
  }

  private static func whole(_ point: ResumePoint, _ head: ResponseHead, _ readsValidator: Bool) -> ResumePlan {
    guard !head.isCoded else { return ResumePlan(.refuse(.coded), point) }
    // Only 200 and 203 have the file as their content; another status must not replace the stored bytes.
    let hasFile = head.status.code == 200 || head.status.code == 203
    guard hasFile || point.length == 0 else { return ResumePlan(.refuse(.status), point) }
    let hasBody = head.status.code != 204 && head.status.code != 205
    let stated = hasBody ? head.expectedLength : 0
    let total = stated ?? (point.mayBeSameFile(as: head) ? point.total : nil)
    if point.source == .freshLink, point.length > 0, !point.isProven(by: head, total: total) {
      return ResumePlan(.refuse(.changed), point)
    }
    return ResumePlan(startingAnewWith: head, total: total, end: stated, readsValidator: readsValidator)
  }

  private static func part(_ point: ResumePoint, _ asked: Int64?, _ head: ResponseHead) -> ResumePlan {
    // Without a range in the request, there is no other request to make.
    func useless(_ reason: Reason) -> ResumePlan {
      ResumePlan(asked == nil ? .refuse(.unaskedRange) : .restart(reason), point)
    }
    guard !head.isCoded, head.undoneCoding == nil else { return useless(.coded) }
    guard head.mediaType?.essence.lowercased() != "multipart/byteranges" else { return useless(.multipart) }
    guard let content = head.contentRange, let range = content.range else { return useless(.contentRange) }
    if let length = head.expectedLength, length != Int64(range.count) { return useless(.length) }
    guard let asked else {
      guard range.lowerBound == 0 else { return useless(.contentRange) }
      return ResumePlan(startingAnewWith: head, total: content.total, end: range.upperBound)
    }
    let isTooLong = point.total.map { range.upperBound > $0 } ?? false
    if isTooLong || point.isSameVersion(as: head) == false || point.differs(from: content.total) {
      return ResumePlan(point.source == .freshLink ? .refuse(.changed) : .restart(.changed), point)
    }
    if !point.isProven(by: head, total: content.total) {
      return ResumePlan(point.source == .freshLink ? .refuse(.changed) : .restart(.unproven), point)
    }
    guard range.lowerBound <= asked, range.upperBound > asked else { return useless(.contentRange) }
    let action: Action = range.lowerBound == asked ? .append(at: asked) : .truncate(to: range.lowerBound)
    return ResumePlan(action, point, total: content.total ?? point.total, end: range.upperBound)
  }

  private static func unsatisfied(_ point: ResumePoint, _ asked: Int64?, _ head: ResponseHead) -> ResumePlan {
    guard let asked else { return ResumePlan(.refuse(.status), point) }
    let total = head.contentRange.flatMap { $0.range == nil ? $0.total : nil }
    let isSame = point.isSameVersion(as: head) != false && !point.differs(from: total)
    // At the same URL the length that an earlier response has stated is enough: 416 often comes without a validator.
    let isComplete = point.source == .sameURL && point.total == asked
    guard let total, total == asked, isSame, isComplete || point.isProven(by: head, total: total) else {
      return ResumePlan(.restart(.unsatisfied), point)
    }
    return ResumePlan(.complete, point, total: total, end: total)
  }
}

extension ResumePoint {
  /// Whether a response states another length of the whole.
  fileprivate func differs(from total: Int64?) -> Bool {
    guard let total, let known = self.total else { return false }
    return total != known
  }

  /// Whether a response is of the version of the stored bytes; nil if it does not say.
  ///
  /// The date beside an entity tag may be missing (RFC 9110 §15.3.7) but must not differ.
  fileprivate func isSameVersion(as head: ResponseHead) -> Bool? {
    let isSame = validator?.matches(head)
    guard isSame != false, let lastModified, let date = validator?.companion(in: head) else { return isSame }
    return date == lastModified ? isSame : false
  }

  /// Whether a response with the whole file may be of the version of the stored bytes.
  fileprivate func mayBeSameFile(as head: ResponseHead) -> Bool {
    let isSame = isSameVersion(as: head)
    return source == .otherURL ? isSame == true : isSame != false
  }

  /// Whether a response proves to be of the same file.
  ///
  /// The digests decide if both are known. Otherwise the validator proves it at the same URL, and the length or the validator
  /// behind a fresh link. The validator of another URL proves it only if the whole file will be compared with a digest.
  fileprivate func isProven(by head: ResponseHead, total: Int64?) -> Bool {
    // The digest of an error's response describes the error.
    if head.status.kind == .successful, let digest, let stated = DigestFields.whole(head, in: head.headerFields),
      stated.algorithm == digest.algorithm
    {
      return stated == digest
    }
    let isSameVersion = isSameVersion(as: head) == true
    return switch source {
    case .sameURL: isSameVersion
    case .otherURL: isSameVersion && digest != nil
    case .freshLink: isSameVersion || total != nil && total == self.total
    }
  }
}

extension ResponseHead {
  /// Whether the body is coded and the coding was not decoded.
  fileprivate var isCoded: Bool {
    guard undoneCoding == nil, let value = headerFields.value(of: .contentEncoding) else { return false }
    return FieldList(value).contains { $0.lowercased() != "identity" }
  }

  /// The only `Content-Range`, if it is valid; nil if there are several.
  fileprivate var contentRange: ContentRange? {
    let values = headerFields[values: .contentRange]
    return values.count == 1 ? try? ContentRange(values[0]) : nil
  }
}

/// What is known about the stored bytes when a response arrives.
public struct ResumePoint: Sendable, Hashable {
  /// How the URL that answered relates to the URL of the stored bytes.
  ///
  /// After redirects, it is the last URL that answers.
  public enum Source: Sendable, Hashable, CaseIterable {
    /// The URLs are equal, or the app vouches that both lead to the same file.
    case sameURL
    /// The URLs differ.
    ///
    /// Only a digest then proves that the file is the same, because a validator describes the versions of one URL.
    case otherURL
    /// It is a fresh link to the same file, after the old one has expired.
    ///
    /// Another file is refused.
    case freshLink
  }

  /// The number of trusted bytes, 0 or more.
  public var length: Int64
  /// The version of the file; nil if the bytes cannot be combined with others.
  public var validator: EntityValidator?
  /// The `Last-Modified` of the stored bytes, if the validator is an entity tag; nil if there was none.
  public var lastModified: String?
  /// The length of the whole file; nil if no response has stated it.
  public var total: Int64?
  /// The digest of the whole file; nil if neither the app nor a response has stated it.
  ///
  /// It is compared with the digest of a response, and the whole file is compared with it before it is published.
  public var digest: ExpectedDigest?
  /// How the URL relates to that of the stored bytes.
  public var source: Source

  /// Creates a point.
  public init(
    length: Int64 = 0, validator: EntityValidator? = nil, lastModified: String? = nil, total: Int64? = nil,
    digest: ExpectedDigest? = nil, source: Source = .sameURL
  ) {
    self.length = length
    self.validator = validator
    self.lastModified = lastModified
    self.total = total
    self.digest = digest
    self.source = source
  }

  /// The offset that a GET may request; nil if it must request the whole file.
  public var offset: Int64? { length > 0 && validator != nil ? length : nil }
}
