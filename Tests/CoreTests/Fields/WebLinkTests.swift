import CurlewCore
import HTTPTypes
import Testing

struct WebLinkTests {
  private func links(_ values: String...) -> [WebLink] {
    var fields = HTTPFields()
    for value in values { fields.append(HTTPField(name: .link, value: value)) }
    return WebLink.links(in: fields)
  }

  @Test(arguments: [
    ("</birds?page=2>; rel=\"next\"", ["/birds?page=2 next"]),
    ("<a>;rel=next,<b> ; rel = prev", ["a next", "b prev"]),
    ("<?q=a,b;c>; rel=\"next last\"", ["?q=a,b;c next last"]),
    ("<a>; REL=Next; rel=last", ["a next"]),
    ("<a>; title=\"x, <b>; rel=next\"; rel=prev", ["a prev"]),
    ("<a>; title=\"a \\\" b\"; rel=next", ["a next"]),
    ("<>; rel=next", [" next"]), ("<a>", ["a "]), ("<a>; rel", ["a "]), ("<a>; rel=\"\"", ["a "]),
    ("nothing, <b>; rel=next", ["b next"]), ("\"<a>\", <b>; rel=next", ["b next"]), ("<a; rel=next", []),
    ("<a>; =x; rel=next", ["a next"]), (",, <a>; rel=next ,", ["a next"]), ("", []), ("<a>; rel=\"next", ["a next"]),
  ])
  func `links are read, and malformed ones are skipped`(value: String, expected: [String]) {
    #expect(links(value).map { "\($0.target) \($0.relations.joined(separator: " "))" } == expected)
  }

  @Test func `the links of several fields are one list`() {
    let links = links("<a>; rel=prev", "<b>; rel=next; title=\"two\"")
    #expect(links.map(\.target) == ["a", "b"])
    #expect(
      links.last?.parameters == [
        FieldParameter(name: "rel", value: "next"), FieldParameter(name: "title", value: "two"),
      ])
  }

  @Test func `a link of another resource has another context`() {
    #expect(links("<a>; rel=next; anchor=\"/other\"").map(\.hasOtherContext) == [true])
    #expect(links("<a>; rel=next; anchor=\"\"", "<b>").map(\.hasOtherContext) == [false, false])
  }
}

extension HTTPField.Name {
  fileprivate static var link: HTTPField.Name { HTTPField.Name("Link") ?? .location }
}
