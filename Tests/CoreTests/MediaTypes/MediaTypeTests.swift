import CurlewCore
import HTTPTypes
import Testing

struct MediaTypeTests {
  @Test(
    .enabled(if: JudgeData.exists("mime-types"), "shared/data/mime-types is not there"),
    arguments: ["mime-types/mime-types.json", "mime-types/generated-mime-types.json"])
  func `every vector of the web platform tests is read and written as it says`(file: String) throws {
    var count = 0
    for vector in try JudgeData.json(file) {
      guard let input = vector["input"]?.text else { continue }
      count += 1
      #expect(MediaType(input)?.description == vector["output"]?.text, "\(input.debugDescription)")
      if let encoding = vector["encoding"]?.text {
        #expect(MediaType(input)?.charset?.name == encoding.lowercased(), "\(input.debugDescription)")
      } else if vector["encoding"] == .null {
        #expect(MediaType(input)?.charset?.name != "gbk", "\(input.debugDescription)")
      }
    }
    #expect(count > 70)
  }

  @Test func `parts are in lower case and values as sent`() throws {
    let type = try #require(MediaType("Application/Problem+JSON; Charset=\"UTF-8\"; v=A"))
    #expect(type.type == "application")
    #expect(type.subtype == "problem+json")
    #expect(type.suffix == "json")
    #expect(type.essence == "application/problem+json")
    #expect(type["CHARSET"] == "UTF-8")
    #expect(type["v"] == "A")
    #expect(type.charset == .utf8)
    #expect(type.withoutParameters == .problemJSON)
  }

  @Test(
    arguments: [
      (["text/html"], "text/html"), (["text/html;charset=a, text/plain"], "text/plain"),
      (["text/html;charset=a", "text/html;x=\",\""], "text/html;x=\",\";charset=a"),
      (["text/html;charset=a", "x/y;charset=b;a=b", "text/html"], "text/html"),
      (["text/html, */*, nonsense"], "text/html"),
      (["text/html;charset=a", "text/html;charset=b"], "text/html;charset=b"), (["a, b"], nil), ([], nil),
    ] as [([String], String?)])
  func `of several media types the last that can be read counts`(lines: [String], expected: String?) {
    var fields = HTTPFields()
    for line in lines { fields.append(HTTPField(name: .contentType, value: line)) }
    #expect(MediaType(of: fields)?.description == expected)
  }

  @Test func `a suffix is what follows the last plus`() {
    #expect(MediaType("a/b+c+xml")?.suffix == "xml")
    #expect(MediaType("a/b+")?.suffix == nil)
    #expect(MediaType.json.suffix == nil)
  }

  @Test func `parts that no field can carry are refused`() {
    #expect(MediaType(type: "text", subtype: "ht ml") == nil)
    #expect(MediaType(type: "", subtype: "html") == nil)
    #expect(MediaType(type: "a", subtype: "b", parameters: [FieldParameter(name: "x y", value: "")]) == nil)
    let broken = FieldParameter(name: "x", value: "a\r\nEvil: 1")
    #expect(MediaType(type: "a", subtype: "b", parameters: [broken]) == nil)
    #expect(MediaType(type: "a", subtype: "b", parameters: [FieldParameter(name: "x", value: "€")]) == nil)
  }

  @Test func `of parameters with the same name the first is kept`() throws {
    let parameters = [FieldParameter(name: "X", value: "1"), FieldParameter(name: "x", value: "2")]
    #expect(MediaType(type: "a", subtype: "b", parameters: parameters)?.description == "a/b;x=1")
  }

  @Test func `parameters beyond the limit are ignored`() throws {
    let many = (0..<10_000).map { ";p\($0)=1" }.joined()
    #expect(MediaType("a/b" + many)?.parameters.count == MediaType.maximumParameters)
  }

  @Test func `a parameter can be set, changed and removed`() throws {
    let set = try #require(MediaType.html.setting("Charset", to: "utf-8"))
    #expect(set.description == "text/html;charset=utf-8")
    #expect(set.setting("charset", to: "x y")?.description == "text/html;charset=\"x y\"")
    #expect(set.setting("CHARSET", to: nil) == .html)
    #expect(MediaType.html.setting("a", to: "\n") == nil)
  }

  @Test(arguments: [
    ("application/json", "application/json; charset=utf-8", MediaType.Match.exact),
    ("application/json", "application/problem+json", .suffix),
    ("application/json", "image/x+json", .suffix),
    ("application/*+xml", "application/atom+xml", .suffix),
    ("*/*+xml", "image/svg+xml", .suffix),
    ("image/*", "image/png", .type),
    ("*/*", "a/b", .anything),
    ("text/html;charset=UTF8", "text/html;charset=\"utf-8\"", .exact),
  ])
  func `a pattern matches as closely as it can`(pattern: String, other: String, match: MediaType.Match) throws {
    let pattern = try #require(MediaType(pattern))
    let other = try #require(MediaType(other))
    #expect(pattern.match(other) == match)
  }

  @Test(arguments: [
    ("application/json", "application/jsonp"), ("text/json", "application/problem+json"),
    ("application/*+xml", "image/svg+xml"), ("image/*", "text/html"), ("text/html;level=1", "text/html"),
    ("text/html;charset=utf-8", "text/html;charset=latin1"), ("application/problem+json", "application/json"),
  ])
  func `a pattern does not match what is something else`(pattern: String, other: String) throws {
    let pattern = try #require(MediaType(pattern))
    let other = try #require(MediaType(other))
    #expect(pattern.match(other) == nil)
  }

  @Test func `a closer match is the greater one`() {
    let order: [MediaType.Match] = [.anything, .type, .suffix, .exact]
    #expect(order.sorted() == order)
  }

  @Test func `an extension is known by type or by suffix and not for arbitrary bytes`() {
    #expect(MediaType.jpeg.fileExtension == "jpg")
    #expect(MediaType("application/vnd.api+json")?.fileExtension == "json")
    #expect(MediaType.octetStream.fileExtension == nil)
    #expect(MediaType("x/y+exe")?.fileExtension == nil)
  }

  @Test func `random text never traps and what is read is written to the same value`() throws {
    var fuzz = FieldFuzz(
      seed: 1, near: ["text/html; charset=utf-8", "a/b;c=\"d\\\"e\";f=g", "application/problem+json"])
    var read = 0
    for _ in 0..<100_000 {
      guard let type = MediaType(fuzz.text()) else { continue }
      read += 1
      try #require(MediaType(type.description) == type)
      _ = MediaType.json.match(type)
      _ = type.charset
    }
    try #require(read > 10_000)
  }
}
