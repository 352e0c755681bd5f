import CurlewCore
import CurlewDigests
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

@Suite(.timeLimit(.minutes(10))) struct ResumePlanTests {
  private static let url = URL(filePath: "/")
  private static let v1 = EntityValidator.entityTag("v1")
  private static let tag = ("ETag", "\"v1\"")
  private let point = ResumePoint(length: 500, validator: v1, total: 1_000)

  private func head(_ status: Int, _ fields: (String, String)...) -> ResponseHead {
    var all = HTTPFields()
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { all.append(HTTPField(name: name, value: value)) }
    }
    return ResponseHead(url: Self.url, status: .init(code: status), headerFields: all)
  }

  private func action(_ head: ResponseHead, asked: Int64? = 500, _ point: ResumePoint? = nil) -> ResumePlan.Action {
    ResumePlan(point ?? self.point, asked: asked, head).action
  }

  @Test func `a 206 for the rest is appended`() {
    let plan = ResumePlan(point, asked: 500, head(206, ("Content-Range", "bytes 500-999/1000"), ("ETag", "\"v1\"")))
    #expect(plan.action == .append(at: 500))
    #expect(plan.end == 1_000 && plan.total == 1_000 && plan.validator == Self.v1)
    #expect(action(head(206, ("Content-Range", "bytes 500-999/*"), Self.tag)) == .append(at: 500))
    #expect(action(head(206, ("Content-Range", "bytes 500-1000/*"), Self.tag)) == .restart(.changed))
    let part = head(206, ("Content-Range", "bytes 500-599/1000"), ("Content-Length", "100"), Self.tag)
    #expect(action(part) == .append(at: 500))
  }

  @Test func `a 206 that begins before the offset cuts the kept bytes there`() {
    #expect(action(head(206, ("Content-Range", "bytes 0-999/1000"), Self.tag)) == .truncate(to: 0))
    #expect(action(head(206, ("Content-Range", "bytes 499-999/1000"), Self.tag)) == .truncate(to: 499))
  }

  @Test func `a 206 that starts past the offset asks for the whole`() {
    #expect(action(head(206, ("Content-Range", "bytes 501-999/1000"), Self.tag)) == .restart(.contentRange))
  }

  @Test func `a 206 that brings nothing missing asks for the whole`() {
    #expect(action(head(206, ("Content-Range", "bytes 0-499/1000"), Self.tag)) == .restart(.contentRange))
  }

  @Test(arguments: ["bytes 500-999/999", "bytes 500-998/999", "bytes 500-1000/1001"])
  func `a 206 of a file of another length asks for the whole`(range: String) {
    let expected: ResumePlan.Reason = range == "bytes 500-999/999" ? .contentRange : .changed
    #expect(action(head(206, ("Content-Range", range), Self.tag)) == .restart(expected))
  }

  @Test func `a 206 without one usable Content-Range asks for the whole`() {
    #expect(action(head(206)) == .restart(.contentRange))
    for value in ["bytes */1000", "items 500-999/1000", "bytes 500-/1000", "bytes 999-500/1000", "garbage"] {
      #expect(action(head(206, ("Content-Range", value))) == .restart(.contentRange))
    }
    let two = head(206, ("Content-Range", "bytes 500-999/1000"), ("Content-Range", "bytes 500-999/1000"))
    #expect(action(two) == .restart(.contentRange))
  }

  @Test func `a 206 whose length is not that of its range asks for the whole`() {
    #expect(action(head(206, ("Content-Range", "bytes 500-999/1000"), ("Content-Length", "499"))) == .restart(.length))
  }

  @Test func `a 206 of another version asks for the whole`() {
    for tag in ["\"v2\"", "W/\"v1\"", "v1"] {
      #expect(action(head(206, ("Content-Range", "bytes 500-999/1000"), ("ETag", tag))) == .restart(.changed))
    }
  }

  @Test func `a 206 without the validator, or with another date beside it, asks for the whole`() {
    let range = ("Content-Range", "bytes 500-999/1000")
    let (date, next) = ("Sun, 02 Jan 2000 00:00:00 GMT", "Mon, 03 Jan 2000 00:00:00 GMT")
    #expect(action(head(206, range)) == .restart(.unproven))
    #expect(action(head(206, range, ("Last-Modified", date))) == .restart(.unproven))
    var dated = point
    dated.lastModified = date
    #expect(action(head(206, range, Self.tag, ("Last-Modified", date)), dated) == .append(at: 500))
    #expect(action(head(206, range, Self.tag), dated) == .append(at: 500))
    #expect(action(head(206, range, Self.tag, ("Last-Modified", next)), dated) == .restart(.changed))
    #expect(action(head(206, range, ("Last-Modified", date)), dated) == .restart(.unproven))
  }

  @Test func `a 206 that is multipart or coded asks for the whole`() {
    let range = ("Content-Range", "bytes 500-999/1000")
    #expect(action(head(206, ("Content-Type", "multipart/byteranges; boundary=x"))) == .restart(.multipart))
    #expect(action(head(206, range, ("Content-Encoding", "gzip"))) == .restart(.coded))
    #expect(action(head(206, range, ("Content-Encoding", "identity"), Self.tag)) == .append(at: 500))
  }

  @Test func `a part that nobody asked for is refused unless it is the beginning`() {
    #expect(action(head(206, ("Content-Range", "bytes 5-9/10")), asked: nil) == .refuse(.unaskedRange))
    #expect(action(head(206), asked: nil) == .refuse(.unaskedRange))
    #expect(action(head(206, ("Content-Range", "bytes 0-9/10")), asked: nil) == .startAnew)
  }

  @Test func `a 200 begins anew with its own validator and length`() {
    let plan = ResumePlan(point, asked: 500, head(200, ("Content-Length", "70"), ("ETag", "\"v2\"")))
    #expect(plan.action == .startAnew && plan.total == 70 && plan.end == 70 && plan.validator == .entityTag("v2"))
    #expect(ResumePlan(ResumePoint(), asked: nil, head(204)).total == 0)
  }

  @Test(arguments: [201, 202, 204, 205, 207, 226])
  func `a status without the file replaces no stored bytes`(status: Int) {
    #expect(action(head(status)) == .refuse(.status))
    #expect(action(head(status), asked: nil) == .refuse(.status))
    #expect(action(head(status), asked: nil, ResumePoint()) == .startAnew)
  }

  @Test func `a 200 without a length has at least the length that its version is known to have`() {
    let same = ResumePlan(point, asked: 500, head(200, Self.tag))
    #expect(same.action == .startAnew && same.total == 1_000 && same.end == nil)
    #expect(ResumePlan(point, asked: 500, head(200)).total == 1_000)
    #expect(ResumePlan(point, asked: 500, head(200, ("ETag", "\"v2\""))).total == nil)
    var other = point
    other.source = .otherURL
    #expect(ResumePlan(other, asked: 500, head(200)).total == nil)
    #expect(ResumePlan(other, asked: 500, head(200, Self.tag)).total == 1_000)
  }

  @Test func `a coded 200 that nothing decoded is refused, and one that was decoded cannot be continued`() {
    #expect(action(head(200, ("Content-Encoding", "gzip"))) == .refuse(.coded))
    var decoded = head(200, ("Content-Encoding", "gzip"), ("Content-Length", "70"), ("ETag", "\"v2\""))
    decoded.noteUndone([.gzip])
    let plan = ResumePlan(ResumePoint(), asked: nil, decoded)
    #expect(plan.action == .startAnew && plan.validator == nil && plan.total == nil)
  }

  @Test func `a 416 says that nothing is missing, or asks for the whole`() {
    let complete = ResumePoint(length: 1_000, validator: Self.v1, total: 1_000)
    #expect(action(head(416, ("Content-Range", "bytes */1000")), asked: 1_000, complete) == .complete)
    var unknown = complete
    unknown.total = nil
    #expect(action(head(416, ("Content-Range", "bytes */1000")), asked: 1_000, unknown) == .restart(.unsatisfied))
    #expect(action(head(416, ("Content-Range", "bytes */1000"), Self.tag), asked: 1_000, unknown) == .complete)
    #expect(action(head(416, ("Content-Range", "bytes */500")), asked: 1_000, complete) == .restart(.unsatisfied))
    #expect(action(head(416, ("Content-Range", "bytes */1001")), asked: 1_000, complete) == .restart(.unsatisfied))
    let changed = head(416, ("Content-Range", "bytes */1000"), ("ETag", "\"v2\""))
    #expect(action(changed, asked: 1_000, complete) == .restart(.unsatisfied))
    #expect(action(head(416)) == .restart(.unsatisfied))
    #expect(action(head(416), asked: nil) == .refuse(.status))
  }

  @Test(arguments: [301, 304, 401, 404, 500, 503]) func `any other status is refused`(status: Int) {
    #expect(action(head(status)) == .refuse(.status))
  }

  @Test func `bytes of another URL are joined only if a digest proves the file`() throws {
    var other = point
    other.source = .otherURL
    let range = ("Content-Range", "bytes 500-999/1000")
    #expect(action(head(206, range, Self.tag), other) == .restart(.unproven))
    // The whole file will be compared with it.
    other.digest = try ExpectedDigest(.sha256, Data(repeating: 1, count: 32))
    #expect(action(head(206, range, Self.tag), other) == .append(at: 500))
    #expect(action(head(206, range), other) == .restart(.unproven))
  }

  @Test func `a fresh link must lead to the same file`() {
    var fresh = point
    fresh.source = .freshLink
    let range = ("Content-Range", "bytes 500-999/1000")
    #expect(action(head(206, range), fresh) == .append(at: 500))
    #expect(action(head(206, ("Content-Range", "bytes 500-999/*")), fresh) == .refuse(.changed))
    #expect(action(head(206, ("Content-Range", "bytes 500-998/999")), fresh) == .refuse(.changed))
    #expect(action(head(200, ("Content-Length", "1000"), ("ETag", "\"v9\"")), fresh) == .startAnew)
    #expect(action(head(200, ("Content-Length", "999"), ("ETag", "\"v9\"")), fresh) == .refuse(.changed))
  }

  @Test func `the digest of the whole file decides whether another URL leads to the same file`() throws {
    let (same, other) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
    func field(_ digest: Data) -> (String, String) { ("Repr-Digest", "sha-256=:\(digest.base64EncodedString()):") }
    var known = point
    known.digest = try ExpectedDigest(.sha256, same)
    let range = ("Content-Range", "bytes 500-999/*")
    for source in [ResumePoint.Source.freshLink, .otherURL] {
      known.source = source
      let unproven: ResumePlan.Action = source == .freshLink ? .refuse(.changed) : .restart(.unproven)
      #expect(action(head(206, range, field(same)), known) == .append(at: 500))
      #expect(action(head(206, range, field(other)), known) == unproven)
      // Another digest counts more than the same length and validator.
      let equal = ("Content-Range", "bytes 500-999/1000")
      #expect(action(head(206, equal, ("ETag", "\"v1\""), field(other)), known) == unproven)
      // A digest by another algorithm cannot be compared, and that of an error's body says nothing of the file.
      #expect(
        action(head(206, range, ("Repr-Digest", "sha-512=:\(Data(count: 64).base64EncodedString()):")), known)
          == unproven)
      let end = head(416, ("Content-Range", "bytes */1000"), field(same))
      var all = known
      (all.length, all.total) = (1_000, nil)
      #expect(action(end, asked: 1_000, all) == .restart(.unsatisfied))
    }
    known.source = .freshLink
    #expect(action(head(200, field(same)), known) == .startAnew)
    #expect(action(head(200, ("Content-Length", "1000"), field(other)), known) == .refuse(.changed))
  }

  /// Whatever the plan, it never joins what may not belong together.
  @Test func `no response makes a plan that reaches beyond the kept bytes or joins another version`() {
    var random = SeededRandom(seed: 17)
    let statuses = [200, 206, 206, 206, 416, 204, 203, 404, 500]
    let numbers: [Int64] = [0, 1, 99, 100, 101, 499, 500, 501, 999, 1_000, 1_001, 1 << 32, 1 << 53, .max - 1, .max]
    let tags: [String?] = [nil, "\"v1\"", "\"v2\"", "W/\"v1\"", "broken"]
    for _ in 0..<50_000 {
      func number() -> Int64 { numbers.randomElement(using: &random) ?? 0 }
      let length = number()
      let total = Bool.random(using: &random) ? max(length, number()) : nil
      let point = ResumePoint(
        length: length, validator: Bool.random(using: &random) ? Self.v1 : nil, total: total,
        source: ResumePoint.Source.allCases.randomElement(using: &random) ?? .sameURL)
      let asked = Bool.random(using: &random) ? point.offset : nil
      let tag = tags.randomElement(using: &random) ?? nil
      var fields: [(String, String)] = []
      if let tag { fields.append(("ETag", tag)) }
      if Bool.random(using: &random) { fields.append(("Content-Length", "\(number())")) }
      if Int.random(in: 0..<4, using: &random) > 0 {
        let end = Bool.random(using: &random) ? "*" : "\(number())"
        let range = Int.random(in: 0..<4, using: &random) == 0 ? "*" : "\(number())-\(number())"
        fields.append(("Content-Range", "bytes \(range)/\(end)"))
      }
      var head = head(statuses.randomElement(using: &random) ?? 200)
      for (name, value) in fields {
        if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
      }
      head.expectedLength =
        ResponseHead(url: Self.url, status: head.status, headerFields: head.headerFields).expectedLength
      let plan = ResumePlan(point, asked: asked, head)
      switch plan.action {
      case .append(let offset):
        #expect(asked == offset && offset == point.length && head.status == .partialContent)
        #expect(tag == "\"v1\"" || tag == nil && point.source == .freshLink && plan.total == point.total)
        #expect(point.source != .otherURL)
        #expect(point.total == nil || plan.total == point.total)
        #expect(plan.end ?? 0 > offset)
      case .truncate(let offset):
        #expect(asked != nil && offset < point.length && head.status == .partialContent)
        #expect(tag == "\"v1\"" || tag == nil && point.source == .freshLink && plan.total == point.total)
        #expect(point.source != .otherURL)
        #expect(plan.end ?? 0 > offset)
      case .complete:
        #expect(head.status.code == 416 && plan.total == point.length && asked == point.length)
        #expect(tag == "\"v1\"" || tag == nil && plan.total == point.total)
        #expect(point.source != .otherURL)
      case .startAnew:
        #expect(head.status.kind == .successful)
        #expect(plan.validator == nil || plan.validator == EntityValidator(head))
      case .restart: #expect(asked != nil)
      case .refuse: break
      }
      if let total = plan.total, let end = plan.end { #expect(end <= total) }
    }
  }
}

@Suite struct EntityValidatorTests {
  private func head(_ fields: HTTPFields) -> ResponseHead {
    ResponseHead(url: URL(filePath: "/"), status: .ok, headerFields: fields)
  }

  @Test func `a strong entity tag counts, a weak one and an empty one do not`() {
    #expect(EntityValidator(head([.eTag: "\"a\""])) == .entityTag("a"))
    #expect(EntityValidator(head([.eTag: "\"\""])) == nil)
    #expect(EntityValidator(head([.eTag: "W/\"a\""])) == nil)
    #expect(EntityValidator(head([.eTag: "a"])) == nil)
    let date: HTTPFields = [
      .eTag: "W/\"a\"", .lastModified: "Sat, 01 Jan 2000 00:00:00 GMT", .date: "Sun, 02 Jan 2000 00:00:00 GMT",
    ]
    #expect(EntityValidator(head(date)) == nil, "a date is no stronger than the tag beside it")
  }

  @Test(arguments: [
    ("Sun, 02 Jan 2000 00:00:01 GMT", true), ("Sun, 02 Jan 2000 00:00:00 GMT", false),
    ("Sun, 02 Jan 1999 00:00:00 GMT", false), ("soon", false),
  ])
  func `a date counts when it is at least a second older than Date`(sent: String, counts: Bool) {
    let changed = "Sun, 02 Jan 2000 00:00:00 GMT"
    let validator = EntityValidator(head([.lastModified: changed, .date: sent]))
    #expect(validator == (counts ? .lastModified(changed) : nil))
    #expect(EntityValidator(head([.lastModified: changed])) == nil)
  }

  @Test func `a validator that was stored is read again, and one that would break a header field is not`() throws {
    for validator in [
      EntityValidator.entityTag("x y".replacing(" ", with: "!")), .lastModified("Sun, 02 Jan 2000 00:00:00 GMT"),
    ] {
      #expect(try JSONDecoder().decode(EntityValidator.self, from: JSONEncoder().encode(validator)) == validator)
    }
    for text in [#"{"entityTag":"a\r\nX: y"}"#, #"{"entityTag":"a\"b"}"#, #"{"lastModified":"\r\nX: y"}"#, "{}"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(EntityValidator.self, from: Data(text.utf8))
      }
    }
  }
}
