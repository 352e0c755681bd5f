import CurlewCore
import FoundationEssentials
import Testing

struct SuggestedFileNameTests {
  /// What must be true of every name, whoever sent it.
  static func isHarmless(_ name: String) -> Bool {
    let forbidden: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|", "\u{202E}"]
    return (1...255).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasSuffix(".")
      && !name.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || forbidden.contains($0) }
      && name.unicodeScalars.first?.properties.isWhitespace == false
      && name.unicodeScalars.last?.properties.isWhitespace == false
  }

  static func isInside(_ name: String) -> Bool {
    URL(filePath: "/home/user/downloads/" + name).standardized.path == "/home/user/downloads/" + name
  }

  @Test(
    .enabled(if: JudgeData.exists("payloads"), "shared/data/payloads is not there"),
    arguments: ["payloads/Directory-Traversal.md", "payloads/CRLF-Injection.md"])
  func `no attack string escapes its directory`(file: String) throws {
    var count = 0
    for line in try JudgeData.text(file).split(separator: "\n") {
      let pieces = line.split(whereSeparator: { "|` ,".contains($0) }).map(String.init) + [String(line)]
      for piece in pieces {
        for attack in [piece, "../" + piece, piece + "/..", piece + "\0.txt", piece + "/"] {
          for name in Self.names(for: attack) {
            count += 1
            #expect(Self.isHarmless(name), "\(attack.debugDescription) gave \(name.debugDescription)")
            #expect(Self.isInside(name), "\(attack.debugDescription) gave \(name.debugDescription)")
          }
        }
      }
    }
    #expect(count > 1000)
  }

  /// The names a string leads to, in each place a server can put it.
  private static func names(for attack: String) -> [String] {
    let extended = attack.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let dispositions = [
      ContentDisposition("attachment; filename=" + attack),
      ContentDisposition("attachment; filename=\"" + attack + "\""),
      ContentDisposition("attachment; filename*=UTF-8''" + extended),
      ContentDisposition("attachment; filename*=ISO-8859-1''" + extended),
    ]
    return dispositions.map { SuggestedFileName(disposition: $0, urlPath: nil, mediaType: .html).value }
      + [attack, extended, "/a/" + extended].map {
        SuggestedFileName(disposition: nil, urlPath: $0, mediaType: nil).value
      } + [SuggestedFileName(attack)?.value].compactMap(\.self)
  }

  @Test(
    arguments: [
      ("plans.pdf", "plans.pdf"), ("/etc/passwd", "passwd"), ("C:\\dir\\a.txt", "a.txt"), ("dir/", "dir"),
      (".bashrc", "bashrc"), ("...", nil), ("..", nil), ("", nil), ("/", nil), (".\0./", nil),
      ("a\u{202E}gpj.exe", "agpj.exe"),
      (" a . ", "a"), ("a:b?c", "a_b_c"), ("CON", "_CON"), ("con.txt", "_con.txt"), ("com1 .x", "_com1 .x"),
      ("COM¹", "_COM¹"), ("console", "console"), ("a\r\nb", "ab"), ("naïve 😀.txt", "naïve 😀.txt"),
      ("a\u{2215}b", "a_b"), ("-rf", "-rf"), ("a/../..", nil), ("x.tar.gz", "x.tar.gz"),
    ] as [(String, String?)])
  func `a name is made harmless`(text: String, expected: String?) {
    #expect(SuggestedFileName(text)?.value == expected)
  }

  @Test func `a long name keeps its extension and whole characters`() throws {
    let long = try #require(SuggestedFileName(String(repeating: "ä", count: 300) + ".jpeg")?.value)
    #expect(long.hasSuffix("ä.jpeg"))
    #expect(long.utf8.count == 255)
    let odd = try #require(SuggestedFileName("x" + String(repeating: "ä", count: 300))?.value)
    #expect(odd.utf8.count == 255)
    let even = try #require(SuggestedFileName(String(repeating: "ä", count: 300))?.value)
    #expect(even.utf8.count == 254)
    let spaced = try #require(SuggestedFileName("a" + String(repeating: " ", count: 300) + "b")?.value)
    #expect(spaced == "a")
  }

  @Test(
    arguments: [
      ("attachment; filename=report", "/x/y.zip", "application/pdf", "report.pdf"),
      ("attachment; filename=report.txt", "/x/y.zip", "application/pdf", "report.txt"),
      ("attachment; filename=\"..\"", "/x/y.zip", "application/pdf", "y.zip"),
      ("attachment", "/x/y%20z.zip?a=/b.c", "application/pdf", "y z.zip"),
      (nil, "/x/dir/", "text/html; charset=utf-8", "dir.html"), (nil, "/", "text/html", "download.html"),
      (nil, "/", nil, "download"), (nil, nil, "application/octet-stream", "download"),
      (nil, "/a%2F..%2Fb", nil, "b"), (nil, "/%2e%2e", "image/png", "download.png"), (nil, "/a%FFb", nil, "a%FFb"),
      (nil, "/100%", nil, "100%"), (nil, "/%252e%252e%252f", nil, "%2e%2e%2f"), (nil, "/con", "text/plain", "_con.txt"),
      ("attachment; filename=\"v1.0 final\"", nil, "application/zip", "v1.0 final.zip"),
    ] as [(String?, String?, String?, String)])
  func `the name comes from the field, else the URL, and the type adds an extension`(
    disposition: String?, path: String?, type: String?, expected: String
  ) {
    let name = SuggestedFileName(
      disposition: disposition.map { ContentDisposition($0) }, urlPath: path, mediaType: type.flatMap { MediaType($0) })
    #expect(name.value == expected)
  }

  @Test func `a URL gives its path`() {
    let name = SuggestedFileName(
      disposition: nil, url: URL(string: "https://h/a/b%2Fc%20d.png?e#f"), mediaType: nil)
    #expect(name.value == "c d.png")
  }

  @Test func `random text gives a harmless name that stays as it is`() throws {
    var fuzz = FieldFuzz(seed: 7, near: ["../../etc/passwd", "CON.txt", "..%2f..%2f", "a\u{202E}b.exe", ".\0."])
    for _ in 0..<100_000 {
      var text = fuzz.text()
      if fuzz.below(50) == 0 { text += String(repeating: text, count: 20) }
      guard let name = SuggestedFileName(text) else { continue }
      try #require(Self.isHarmless(name.value), "\(text.debugDescription) gave \(name.value.debugDescription)")
      try #require(SuggestedFileName(name.value) == name, "\(text.debugDescription)")
    }
  }
}
