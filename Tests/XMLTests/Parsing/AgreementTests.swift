import CurlewCore
import CurlewXML
import FoundationEssentials
import Testing

/// A short run of what the fuzzer does at length: whatever the bytes, `XMLDocument` and the events of a stream agree.
///
/// `CURLEW_MUTATIONS` says how many documents each test reads; `Scripts/sanitize` takes 20,000.
@Suite struct AgreementTests {
  static let rounds = ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap { Int($0) } ?? 200

  /// Documents on which they disagreed.
  static let found = [
    "<!DOCTYPE a [<?p x<!-- y ?>]><a/>", "<!DOCTYPE a [<?p\"?>]><a/>", "<!DOCTYPE a [<?p'?><!-->--><!--->\"-->]><a/>",
    "<!DOCTYPE a [<?p<!-- ?>]><a/>", "<!DOCTYPE a [<?p <!---->?><!-- x -->]><a/>",
    "<!DOCTYPE a [<?p ]> ?><!-- x -->]><a/>", "<!DOCTYPE a [<?p ] >?><!-- x -->]><a/>",
    "<!DOCTYPE a [<?p]>?><!-- x -->]><a/>", "<!DOCTYPE a SYSTEM 'x>y<!--' []><a/>",
    "<!DOCTYPE a SYSTEM 'x>y' [<!-- x -->]><a/>", "<!DOCTYPE a PUBLIC 'p' \"x>y<!--z\"><a/>",
    "<!DOCTYPE a PUBLIC 'p>' 'x<!--'><a/>", "<!DOCTYPE a [<!-- x ]> -->]><a/>", "<!DOCTYPE a [<!-- it's -->]><a/>",
    "<!DOCTYPE a [<!ENTITY e ']>'><!-->-->]><a>&e;</a>", "<!-->--><!DOCTYPE a []><!---->--><a/>",
    "<!DOCTYPE a [<!ATTLIST a : CDATA '1'>]><a/>", "<!DOCTYPE a [<!ATTLIST a :b CDATA '1'>]><a/>",
    "<!DOCTYPE a [<!ATTLIST a : CDATA #IMPLIED>]><a/>",
  ]

  /// Those of them that are not well-formed.
  static let malformed = [
    "<!DOCTYPE a [<?p\"?>]><a/>", "<!DOCTYPE a [<?p'?><!-->--><!--->\"-->]><a/>", "<!DOCTYPE a [<?p<!-- ?>]><a/>",
    "<!DOCTYPE a [<?p]>?><!-- x -->]><a/>", "<!DOCTYPE a PUBLIC 'p>' 'x<!--'><a/>",
    "<!-->--><!DOCTYPE a []><!---->--><a/>", "<!DOCTYPE a [<!ATTLIST a : CDATA '1'>]><a/>",
    "<!DOCTYPE a [<!ATTLIST a :b CDATA '1'>]><a/>",
  ]

  @Test(arguments: found) func `documents whose declarations hold markup in instructions are read alike`(text: String) {
    for start in ["", "<?xml version='1.0'?>"] { #expect(Self.check(start + text) == !Self.malformed.contains(text)) }
  }

  /// libxml2 parses the first 45 characters of a converted document before it receives the next ones.
  @Test(arguments: found) func `they are read alike wherever their 45th character is`(text: String) {
    for count in 0..<45 { Self.check(String(repeating: "\n", count: count) + text) }
  }

  @Test func `made documents are read alike, whole and as streams`() {
    var random = SplitMix(state: 0x5EED)
    var accepted = 0
    for _ in 0..<Self.rounds {
      let choices = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      accepted += Self.check(MadeDocument(choices).text) ? 1 : 0
    }
    // Otherwise nothing but errors was compared.
    #expect(accepted > Self.rounds / 50)
  }

  @Test(.enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.absence)))
  func `mutated documents of the suite are read alike, whole and as streams`() throws {
    let folders = ["test", "test/errors", "test/errors10", "test/namespaces"]
    let seeds = folders.flatMap { folder in
      SharedData.files(in: "libxml2-tests/" + folder).compactMap {
        try? SharedData.read("libxml2-tests/\(folder)/\($0)")
      }
    }.filter { $0.count < 20_000 }
    try #require(seeds.count > 100)
    var random = SplitMix(state: 0xC0FFEE)
    for _ in 0..<Self.rounds {
      var bytes = [UInt8](seeds.randomElement(using: &random) ?? Data())
      let other = [UInt8](seeds.randomElement(using: &random) ?? Data())
      for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&bytes, other, &random) }
      Self.check(Data(bytes))
    }
  }

  /// `あ` is the bytes of `$"` after an escape sequence; of `ー` and `ゾ` the second byte is that of `[` and of `]`.
  @Test(arguments: [
    ("iso-2022-jp", "\u{1B}$B$\"\u{1B}(B", "\u{1B}$B$\"\u{1B}(B"), ("shift_jis", "\u{81}\u{5B}", "\u{83}\u{5D}"),
    ("big5", "\u{A4}\u{5B}", "\u{A4}\u{5D}"), ("gbk", "\u{B0}\u{5B}", "\u{B0}\u{5D}"),
    ("gb18030", "\u{B0}\u{5B}", "\u{B0}\u{5D}"),
  ])
  func `bytes of other characters that look like markup do not count`(
    charset: String, open: String, close: String
  ) throws {
    let names = charset == "iso-2022-jp" ? ["a", "b"] : [open, close]
    let text = """
      <!DOCTYPE \(names[0]) [<!ATTLIST \(names[1])><?p \(open)'\(close)\(open)>?><!-- x -->]><\(names[0])/><!-- y -->
      """
    let bytes = Data(text.unicodeScalars.map { UInt8($0.value) })
    #expect(Self.check(bytes, Charset(label: charset)))
    let whole = Data("<!DOCTYPE \(names[0]) SYSTEM 'x>y'><\(names[0])>".unicodeScalars.map { UInt8($0.value) })
    let parser = try XMLEventParser(charset: Charset(label: charset))
    try parser.append(whole + Data(repeating: UInt8(ascii: "x"), count: 40_000))
    #expect(try parser.next() != nil, "the stream waits for an end of the declaration")
  }

  /// Checks a text in UTF-8 and in UTF-16, and returns whether it is a document in UTF-8.
  @discardableResult
  private static func check(_ text: String) -> Bool {
    let pairs = ("\u{FEFF}" + text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    check(Data(pairs))
    return check(Data(text.utf8))
  }

  @discardableResult
  private static func check(_ data: Data, _ charset: Charset? = nil) -> Bool {
    let whole = try? Events.of(data, charset: charset)
    let document = try? XMLDocument(parsing: data, charset: charset)
    let text = String(decoding: data.prefix(3000), as: UTF8.self)
    #expect((whole != nil) == (document != nil), "\(error(of: data)): \(text)")
    for size in [1, 13] { #expect((try? Events.of(data, by: size, charset: charset)) == whole, "\(text)") }
    guard let document, let whole else { return false }
    let starts = whole.count { if case .startElement = $0 { true } else { false } }
    #expect((try? document.elements("//*").count) == starts, "\(text)")
    return true
  }

  private static func error(of data: Data) -> String {
    do {
      _ = try XMLDocument(parsing: data)
      _ = try Events.of(data)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  private static let tokens = [
    "<!--", "-->", "]]>", "<![CDATA[", "<?p ", "?>", "xml:id='1 2'", "xml:space='x'", "&e;", "&#13;", "%p;",
    "<!ATTLIST f b (o|o) 'o'>",
    "<!ENTITY e 'x'>", "\"", "'", "]", ">", "<", "\0", "\u{1}", "é",
  ].map { [UInt8]($0.utf8) }

  private static func mutate(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SplitMix) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &random)))
    case 3: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
    case 4: bytes.removeSubrange(place...)
    case 5: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
    default: bytes.insert(contentsOf: other.dropFirst(place % max(1, other.count)).prefix(60), at: place)
    }
  }
}
