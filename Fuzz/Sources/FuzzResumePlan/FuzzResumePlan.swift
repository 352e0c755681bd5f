import CurlewCore
import CurlewDownload
import FoundationEssentials
import FuzzKit
import HTTPTypes

/// Fuzzes the plan for a stored part of a download, and its stored state.
///
/// The first line describes the part, as in `500 1000 v1 same asked`: its length, the total length or `-`, the entity tag or
/// `-`, the source of the bytes, and whether a range was requested. The status and the fields follow, one per line.
@main enum FuzzResumePlan: FuzzTarget {
  static func read(_ bytes: Data) {
    readState(bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let point = point(lines[0]), let status = Int(lines[1]), (100...599).contains(status) else {
      return
    }
    let asked = lines[0].hasSuffix(" asked") ? point.offset : nil
    let head = ResponseHead(
      url: URL(filePath: "/"), status: .init(code: status), headerFields: fields(lines.dropFirst(2)))
    check(ResumePlan(point, asked: asked, head), point, asked, head)
  }

  /// Checks that only bytes of one version are joined, and within the file.
  private static func check(_ plan: ResumePlan, _ point: ResumePoint, _ asked: Int64?, _ head: ResponseHead) {
    let tag = head.headerFields[.eTag]
    let isSameTag = tag == nil || point.validator?.matches(head) != false
    // No digest is known here, so nothing proves the bytes of another URL.
    let isProven = isSameTag && point.source != .otherURL && (tag != nil || point.source == .freshLink)
    switch plan.action {
    case .append(let offset):
      demand(head.status.code == 206 && asked == offset && offset == point.length, "bytes are joined elsewhere")
      demand(isProven, "another version is joined")
      demand(point.total == nil || plan.total == point.total, "a file of another length is joined")
      demand((plan.end ?? 0) > offset, "nothing is joined")
    case .truncate(let offset):
      demand(head.status.code == 206 && asked != nil && offset >= 0 && offset < point.length, "an odd place to cut")
      demand(isProven, "another version is joined")
      demand((plan.end ?? 0) > offset, "nothing is joined")
    case .complete:
      demand(head.status.code == 416 && asked == point.length && plan.total == point.length, "a part is complete")
      demand(isSameTag, "another version is complete")
    case .startAnew:
      demand((200...299).contains(head.status.code), "an error is stored")
      demand(plan.validator == nil || plan.validator == EntityValidator(head), "a validator of nowhere")
    case .restart: demand(asked != nil, "the whole is asked for again and again")
    case .refuse: break
    }
    if let total = plan.total, let end = plan.end { demand(end <= total && end >= 0, "a range behind the end") }
    if let value = plan.validator?.fieldValue { demand(HTTPField.isValidValue(value), "a validator that is no field") }
  }

  /// Checks that a valid state reads back, and that its validator can be sent.
  private static func readState(_ bytes: Data) {
    guard let state = try? JSONDecoder().decode(DownloadState.self, from: bytes) else { return }
    if let value = state.validator?.fieldValue { demand(HTTPField.isValidValue(value), "a validator that is no field") }
    let again = try? JSONDecoder().decode(DownloadState.self, from: JSONEncoder().encode(state))
    demand(again == state, "a state that reads back as another one")
  }

  private static func point(_ line: Substring) -> ResumePoint? {
    let words = line.split(separator: " ")
    guard words.count >= 4, let length = Int64(words[0]), length >= 0 else { return nil }
    let total = Int64(words[1])
    // A stored part that is longer than the total is not trusted.
    guard total ?? .max >= length else { return nil }
    let tag = EntityTag("\"\(words[2])\"")
    return ResumePoint(
      length: length, validator: words[2] == "-" ? nil : tag.map { .entityTag($0.opaque) }, total: total,
      source: words[3] == "other" ? .otherURL : words[3] == "fresh" ? .freshLink : .sameURL)
  }

  private static func fields(_ lines: some Sequence<Substring>) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines.prefix(100) {
      guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else { continue }
      fields.append(HTTPField(name: name, value: String(line[line.index(after: colon)...])))
    }
    return fields
  }
}
