import ArgumentParser
import Testing

@testable import CurlewTool

/// HTTPie's items and words, without a request.
@Suite struct RequestItemTests {
  @Test(arguments: [
    ("name=Ada", RequestItem.Kind.field, "name", "Ada"), ("age:=3", .json, "age", "3"),
    ("X-Token:abc", .header, "X-Token", "abc"), ("q==curlew", .query, "q", "curlew"),
    ("photo@bird.jpg", .file, "photo", "bird.jpg"), ("@bird.jpg", .file, "", "bird.jpg"),
    ("bio=@a.txt", .fieldFromFile, "bio", "a.txt"), ("tags:=@a.json", .jsonFromFile, "tags", "a.json"),
    ("X-Key:@a", .headerFromFile, "X-Key", "a"), ("q==@a", .queryFromFile, "q", "a"),
    ("Accept;", .emptyHeader, "Accept", ""),
    // The first separator counts, and of those that begin there the longest.
    ("a=b:c", .field, "a", "b:c"), ("a:b=c", .header, "a", "b=c"), ("a@b=c", .file, "a", "b=c"),
    ("a;b=c", .emptyHeader, "a", "b=c"),
    ("a===b", .query, "a", "=b"), ("a=:b", .field, "a", ":b"), ("a:==b", .json, "a", "=b"), ("a==", .query, "a", ""),
    ("a=", .field, "a", ""), ("a:=", .json, "a", ""), ("a:", .header, "a", ""), ("=b", .field, "", "b"),
    // A backslash makes the next separator's character an ordinary one, in the value too.
    (#"a\:b=c"#, .field, "a:b", "c"), (#"a\=b=c"#, .field, "a=b", "c"), (#"a\@b:c"#, .header, "a@b", "c"),
    (#"a\;b==c"#, .query, "a;b", "c"), (#"a\==b"#, .field, "a=", "b"), (#"a:\=b"#, .header, "a", "=b"),
    (#"a=b\:c"#, .field, "a", "b:c"), (#"a=\@b"#, .field, "a", "@b"),
    // Any other stands for itself, and one of a pair protects nothing.
    (#"a\b=c\d"#, .field, #"a\b"#, #"c\d"#), (#"a\\=b"#, .field, #"a\\"#, "b"), (#"a=b\"#, .field, "a", #"b\"#),
    (#"c:\temp"#, .header, "c", #"\temp"#),
    ("é=ü", .field, "é", "ü"), ("a=\u{301}b", .field, "a", "\u{301}b"), ("user.name:=null", .json, "user.name", "null"),
    ("a[b]=c", .field, "a[b]", "c"), ("a b=c d", .field, "a b", "c d"),
  ])
  func `an item is read by its first and longest separator`(
    text: String, kind: RequestItem.Kind, name: String, value: String
  ) {
    #expect(RequestItem(text) == RequestItem(kind, name, value))
  }

  @Test func `every separator is read from every name, and text without one is no item`() {
    for kind in RequestItem.Kind.allCases {
      for name in ["a", "a-b", "a.b", "é", "a b"] {
        #expect(RequestItem(name + kind.rawValue + "1") == RequestItem(kind, name, "1"))
        #expect(RequestItem("\\" + name + kind.rawValue + "1")?.kind == kind)
      }
      // Wholly escaped, none is left.
      #expect(RequestItem("a" + kind.rawValue.map { "\\\($0)" }.joined() + "1") == nil)
    }
    for text in ["", "a", #"a\:b"#, #"\="#, "\\", "ab\\"] { #expect(RequestItem(text) == nil, "\(text)") }
  }

  @Test(arguments: [
    (["POST", "https://h/x", "a=1", "b:=2"], "POST" as String?, ["https://h/x"], ["a", "b"]),
    (["h.example"], nil, ["h.example"], []), (["POST", "h"], "POST", ["h"], []),
    (["LOCALHOST"], nil, ["LOCALHOST"], []),
    (["M-SEARCH", "h.example"], "M-SEARCH", ["h.example"], []),
    // What is a URL today stays one.
    (
      ["a.example", "b.example:80/x", "localhost:1", ":8000/x", "[::1]:80/", "https://c/?x=y", "d.example/?a=b"], nil,
      ["a.example", "b.example:80/x", "localhost:1", ":8000/x", "[::1]:80/", "https://c/?x=y", "d.example/?a=b"], []
    ),
    (["h.example", "X-Id:abc"], nil, ["h.example"], ["X-Id"]),
    (["h.example", "X-Id:42", "a=b"], nil, ["h.example"], ["X-Id", "a"]),
    (["GET", "h.example", "X-Id:42"], "GET", ["h.example"], ["X-Id"]),
    (["h.example", "X-Id:42", "X-Name:Ada"], nil, ["h.example"], ["X-Id", "X-Name"]),
    (["h.example", "url=https://i/"], nil, ["h.example"], ["url"]),
    (["h.example", "@a/b.json"], nil, ["h.example"], [""]),
    (["h.example", "first.name=Ada"], nil, ["h.example"], ["first.name"]),
    (["h.example", "a=/x?y=z"], nil, ["h.example"], ["a"]), (["h.example", "me@b.jpg"], nil, ["h.example"], ["me"]),
    (["https://h/?a=b"], nil, ["https://h/?a=b"], []), (["get", "h.example"], nil, ["get", "h.example"], []),
    ([], nil, [], []),
  ])
  func `words are a method, URLs and items`(words: [String], method: String?, urls: [String], names: [String]) throws {
    let read = try RequestWords(words)
    #expect(read.method == method && read.urls == urls && read.items.map(\.name) == names)
  }

  @Test(arguments: [
    (["h.example", "myhost:8000"], "'myhost:…' can be a header field or a host with its port"),
    (["h.example", "myhost/x?a=b"], "can be a URL or an item"), (["h.example", "a/b=c"], "can be a URL or an item"),
    (["h.example", "=b"], "'=…' has no name before '='."), (["h.example", ":=3"], "':=…' has no name before ':='."),
    (["POST", "h.example", "a=b", "oops"], "'oops' is neither an item, which"),
    (["POST", "h.example", "name"], "'name' is neither an item, which"),
    (["POST", "h.example", "bird.json"], "'bird.json' is neither an item, which"),
    (["https://h.example", "bird.json"], "nor a URL with https:// or http://."),
    (["h.example", "name"], "'name' is neither an item, which"),
    (["a.example", "b.example", "a=b"], "'b.example' is no item"),
  ])
  func `a word that can be read in two ways is refused`(words: [String], part: String) {
    let error = #expect(throws: ValidationError.self) { try RequestWords(words) }
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    (["get", "--form", "POST", "h"], ["get", "--as-form", "POST", "h"]),
    (["get", "h", "a=b", "--form"], ["get", "h", "a=b", "--as-form"]),
    (["get", "--form", "https://h/", "a=b"], ["get", "--as-form", "https://h/", "a=b"]),
    (["get", "--form", "-v", "h"], ["get", "--as-form", "-v", "h"]),
    (["get", "--form", ":80", "a=b"], ["get", "--as-form", ":80", "a=b"]),
    (["get", "--form", "a=b", "h"], ["get", "--form", "a=b", "h"]),
    (["get", "--form", "a", "h"], ["get", "--form", "a", "h"]),
    (["get", "--form", "a:=3", "h"], ["get", "--as-form", "a:=3", "h"]),
    (["get", "--form", "a@b", "h"], ["get", "--as-form", "a@b", "h"]),
    (["get", "--form", "a@b=c", "h"], ["get", "--form", "a@b=c", "h"]),
    (["get", "--json", "PUT", "h"], ["get", "PUT", "h"]),
    (["get", "--json", "{}", "h"], ["get", "--json", "{}", "h"]),
    (["get", "--json", "https://h/", "a=b"], ["get", "https://h/", "a=b"]),
    (["get", "--", "--form"], ["get", "--", "--form"]), (["encode", "--form"], ["encode", "--form"]),
  ])
  func `a flag of HTTPie that takes a value here is read as one`(arguments: [String], completed: [String]) {
    #expect(HTTPieFlags.completed(arguments) == completed)
  }
}
