import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

/// Texts with escapes and with characters that have to be escaped.
@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("http://h/?q=ä&z=%26", "http://h/?q=%C3%A4&z=%26"), ("http://h/%41/ä", "http://h/%41/%C3%A4"),
    ("http://h/a|b%2F?z=%26", "http://h/a%7Cb%2F?z=%26"),
    ("http://h/?z=%26|#%26ä#b", "http://h/?z=%26%7C#%26%C3%A4%23b"),
    ("http://h/?q=a b&z=%26", "http://h/?q=a%20b&z=%26"), ("http://h/%zz%2?%", "http://h/%25zz%252?%25"),
    ("http://[::1]:80/[%5B]", "http://[::1]:80/%5B%5B%5D"), ("http://h?ä%26", "http://h?%C3%A4%26"),
    ("http://h#ä%26", "http://h#%C3%A4%26"), ("/a%2F?u=http://x|y", "/a%2F?u=http://x%7Cy"), ("ä%2F", "%C3%A4%2F"),
    ("http://h/a%20b?c=d%26#e", "http://h/a%20b?c=d%26#e"), ("http://h", "http://h"),
  ])
  func `escapes stay where other characters are encoded`(text: String, whole: String) {
    #expect(URL(keepingEscapes: text)?.absoluteString == whole)
    // A second time nothing changes.
    #expect(URL(keepingEscapes: whole)?.absoluteString == whole)
  }

  @Test func `a host of other letters is read, with the escapes behind it`() throws {
    let request = try Request(.get, "https://bücher.example/?q=ä&z=%26")
    #expect(try request.origin.host == "xn--bcher-kva.example")
    #expect(try request.target == "/?q=%C3%A4&z=%26")
  }

  @Test(arguments: ["http://h:x/ä", "http://[::1/ä", "http://h h/ä", "1:ä"])
  func `a text that is no URL stays none`(text: String) {
    #expect((URL(keepingEscapes: text) == nil) == (URL(string: text) == nil))
  }

  @Test func `what Foundation reads without escapes is read as it reads it`() {
    let pieces = [
      "a", "ä", "/", "?", "#", "|", " ", "[", "]", ":", "@", "//", "http://h", "\"", "<", "^", "`", "{", "=", "&",
      "\u{0301}",
    ]
    func parts(_ url: URL?) -> [String?] {
      [url?.scheme, url?.host(percentEncoded: true), url?.port.map { String($0) }, url?.path(percentEncoded: true)]
        + [url?.query(percentEncoded: true), url?.fragment(percentEncoded: true), url == nil ? nil : ""]
    }
    var others: [String] = []
    for number in 0..<20_000 {
      var (text, rest) = ("", number &* 2_654_435_761)
      for _ in 0..<1 + number % 8 {
        text += pieces[rest % pieces.count]
        rest /= pieces.count
      }
      // A port without a host is read in two ways by Foundation itself.
      if !text.contains("//:"), parts(URL(keepingEscapes: text)) != parts(URL(string: text)) { others.append(text) }
    }
    #expect(others.isEmpty, "\(others.count): \(others.prefix(5))")
  }
}
