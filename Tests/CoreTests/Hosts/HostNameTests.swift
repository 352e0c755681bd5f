import CurlewCore
import Testing

struct HostNameTests {
  private func failure(_ host: String) -> HostNameError.Kind? {
    do throws(HostNameError) {
      _ = try HostName(host)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test(arguments: [
    ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"), ("ex%41mple.com", "example.com"),
    ("%65xample%2Ecom", "example.com"), ("a_b-.example", "a_b-.example"), ("localhost", "localhost"),
    ("example.com.", "example.com."), ("EXAMPLE.com.", "example.com."), ("r3---sn-a.example", "r3---sn-a.example"),
    ("1e2.example", "1e2.example"), ("09.example", "09.example"), ("a.0xg", "a.0xg"),
    ("192.168.257.com", "192.168.257.com"),
  ])
  func `a name becomes lower-case, with its escapes undone`(host: String, canonical: String) throws {
    #expect(try HostName(host).text == canonical)
  }

  @Test(arguments: [
    ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
    ("0x7F000001", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
    ("192.0x00A80001", "192.168.0.1"), ("0x.0x.0", "0.0.0.0"), ("4294967295", "255.255.255.255"),
    ("1.2.3", "1.2.0.3"), ("１２７。０．０｡１", "127.0.0.1"), ("%30%78%63%30.0250.01", "192.168.0.1"),
    ("00000000000000000000177.1", "127.0.0.1"), ("0", "0.0.0.0"), ("1.0xff", "1.0.0.255"), ("0x", "0.0.0.0"),
    ("192.168.257", "192.168.1.1"), ("192.168.257.", "192.168.1.1"),
    ("256", "0.0.1.0"), ("999999999.", "59.154.201.255"),
  ])
  func `every numeric form of an IPv4 address is one host`(host: String, canonical: String) throws {
    let name = try HostName(host)
    #expect(name.text == canonical)
    #expect(name.kind == .ipv4Address)
  }

  @Test(arguments: [
    "256.256.256.256", "1.2.3.4.5", "1.2.3.256", "4294967296", "0x100000000", "99999999999999999999999",
    "08", "127.0.0.08", "example.1", "foo.0x1", "foo.0x", "foo.09", "1.2.3.08", "a.b.c.4", "1.2.3.4.5.",
    "0xffffffff1", "foo.2.", "127.0.0.0x7f00000001", "1.16777216", "256.1", "10000000000",
    "0999999999999999999", "foo.0XFfFfFfFfFfFfFfFfFfAcE123", "1.2.3.08.", "xn--mhb.1", "例え.123",
  ])
  func `a host that ends in a number and is no IPv4 address is refused`(host: String) {
    #expect(failure(host) == .invalidIPv4Address)
  }

  @Test(arguments: [
    ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[::]", "[::]"), ("[1::]", "[1::]"),
    ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"),
    ("[2001:0db8::0001]", "[2001:db8::1]"), ("[2001:db8:0:0:0:0:2:1]", "[2001:db8::2:1]"),
    ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"), ("[::127.0.0.1]", "[::7f00:1]"), ("[::ffff:7f00:1]", "[::ffff:127.0.0.1]"),
    ("[::FFFF:127.0.0.1]", "[::ffff:127.0.0.1]"), ("[0:0:0:0:0:ffff:1.2.3.4]", "[::ffff:1.2.3.4]"),
    ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"), ("[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"),
    ("[64:ff9b::192.0.2.33]", "[64:ff9b::c000:221]"), ("[fe80::1]", "[fe80::1]"),
  ])
  func `an IPv6 address takes the text of RFC 5952`(host: String, canonical: String) throws {
    let name = try HostName(host)
    #expect(name.text == canonical)
    #expect(name.kind == .ipv6Address)
  }

  @Test(arguments: [
    "[", "[]", "[:]", "[1]", "[:1]", "[1:]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::1::]", "[:::]", "[1:::2]",
    "[12345::]", "[g::]", "[::1", "[::1]x", "[1:2:3:4:5:6:7:8::]", "[::1:2:3:4:5:6:7:8]", "[::1.2.3]", "[::1.2.3.4.5]",
    "[::01.2.3.4]", "[::256.2.3.4]", "[::1.2.3.4:5]", "[1.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]", "[::.1.2.3]",
    "[::1.2.3.]",
    "[::a.2.3.4]", "[ ::1]", "[::1\u{0}]", "[v1.x]", "[::١]", "[::0xffff]", "[1:2:3:4:5:6:7:8:]",
  ])
  func `what stands in brackets and is no IPv6 address is refused`(host: String) {
    #expect(failure(host) == .invalidIPv6Address)
  }

  @Test(arguments: ["[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%]"])
  func `a zone is refused as such`(host: String) {
    #expect(failure(host) == .zoneIdentifier)
  }

  @Test(arguments: Array("\0\t\n\r \"#$%&'()*+,/:;<=>?@[\\]^`{|}~!\u{1}\u{1F}\u{7F}".unicodeScalars))
  func `an ASCII character that no name has is refused, escaped or not`(scalar: Unicode.Scalar) {
    #expect(failure("a\(scalar)b") == .forbiddenCodePoint(scalar))
    let hex = String(scalar.value, radix: 16)
    #expect(failure("a%\(hex.count < 2 ? "0" : "")\(hex)b") == .forbiddenCodePoint(scalar))
  }

  @Test(arguments: [
    ("", HostNameError.Kind.empty), (".", .emptyLabel), ("..", .emptyLabel), ("a..b", .emptyLabel), (".a", .emptyLabel),
    ("a..", .emptyLabel), ("%2e", .emptyLabel), ("127.0.0.1%09", .forbiddenCodePoint("\t")),
    ("example.com%00", .forbiddenCodePoint("\0")), ("%", .forbiddenCodePoint("%")), ("%4", .forbiddenCodePoint("%")),
    ("%zz", .forbiddenCodePoint("%")), ("%2541", .forbiddenCodePoint("%")), ("%c3", .invalidUTF8),
    ("%ff", .invalidUTF8),
    ("%ed%a0%80", .invalidUTF8), ("%c0%ae", .invalidUTF8),
    ("user@host", .forbiddenCodePoint("@")), ("a:80", .forbiddenCodePoint(":")), ("::1", .forbiddenCodePoint(":")),
    ("a%3A80", .forbiddenCodePoint(":")),
    ("%5B::1%5D", .forbiddenCodePoint("[")), ("［::1］", .forbiddenCodePoint("[")),
    ("192.168.0.1 hello", .forbiddenCodePoint(" ")),
  ])
  func `what is no host is refused with its reason`(host: String, kind: HostNameError.Kind) {
    #expect(failure(host) == kind)
  }

  @Test func `lengths are those of the DNS`() throws {
    let label = String(repeating: "a", count: 63)
    #expect(try HostName(label).text == label)
    #expect(failure(label + "a") == .labelTooLong)
    let longest = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
    #expect(longest.utf8.count == 253)
    #expect(try HostName(longest).text == longest)
    #expect(try HostName(longest + ".").text == longest + ".")
    #expect(failure(longest + "a") == .tooLong)
    #expect(failure(String(repeating: "%61", count: 1400)) == .tooLong)
  }

  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("b%C3%BCcher.example", "xn--bcher-kva.example"),
    ("faß.de", "xn--fa-hia.de"), ("ΒΌΛΟΣ.com", "xn--nxasmq6b.com"), ("βόλος.com", "xn--nxasmm1c.com"),
    ("例え.jp", "xn--r8jz45g.jp"), ("日本語。ＪＰ", "xn--wgv71a119e.jp"), ("ＥＸＡＭＰＬＥ．com", "example.com"),
    ("испытание.рф", "xn--80akhbyknj4f.xn--p1ai"), ("ΠΑΡΆΔΕΙΓΜΑ.δοκιμή", "xn--hxajbheg2az3al.xn--jxalpdlp"),
    ("परीक्षा.भारत", "xn--11b5bs3a9aj6g.xn--h2brj9c"), ("한국.kr", "xn--3e0b707e.kr"), ("עברית.com", "xn--5dbqzzl.com"),
    ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"), ("l·l.cat", "xn--ll-0ea.cat"), ("ア・ア.jp", "xn--ccka0y.jp"),
    ("\u{212A}elvin.com", "kelvin.com"), ("\u{F900}.com", "xn--oh3a.com"), ("İstanbul.com", "xn--istanbul-o0e.com"),
    ("نامه\u{200C}ای.com", "xn--mgba3gch31f060k.com"), ("क्\u{200D}ष.com", "xn--11b2ezcw70k.com"),
    ("ｘｎ－－bcher-kva.example", "xn--bcher-kva.example"),
  ])
  func `a name outside ASCII becomes A-labels`(host: String, canonical: String) throws {
    #expect(try HostName(host).text == canonical)
  }

  @Test(arguments: [
    "☃.net", "💩.la", "a\u{AD}b", "a\u{200B}b", "a\u{200C}b", "a\u{200D}b", "\u{200D}", "ا\u{200C}ب", "ب\u{200C}a",
    "ب\u{200D}ب", "\u{2066}a", "ﬁ.com", "①.com",
    "½.com",
    "ẞ.de", "a⁄b.com", "a∕b.com", "a\u{2024}com", "\u{E000}.com", "\u{FFFD}.com", "a\u{3000}b", "a\u{A0}b", "l·a.cat",
    "٠۰.com", "ｱ.jp", "a・b.com", "\u{1100}\u{1161}\u{11A8}\u{20DD}.com", "℀.com", "a\u{2028}b", "\u{FF0F}.com", "ー_é",
  ])
  func `what is not surely a letter or digit is refused`(host: String) {
    switch failure(host) {
    case .unmappableCodePoint, .invalidInternationalLabel, .forbiddenCodePoint: break
    case let other: Issue.record("\(host): \(String(describing: other))")
    }
  }

  @Test(arguments: [
    "\u{301}a.com", "-ü.com", "ü-.com", "ab--ü.com", "xn--ü.com", "אa.com", "1א.com", "א-.com", "א.1a.com",
  ])
  func `a label that breaks a rule for international labels is refused`(host: String) {
    #expect(failure(host) == .invalidInternationalLabel)
  }

  @Test(arguments: [
    // Nothing, nothing outside ASCII, or no Punycode at all.
    "xn--", "xn---", "xn--a", "xn--abc-", "xn--0", "xn--999999999", "xn--bcher-kva-", "xn--zca0", "xn--bcher_kva",
    // A delimiter with nothing before it, which an encoder does not write.
    "xn---tda",
    // A capital letter, a character that is mapped away, one that is mapped to another, a mark at the beginning, no NFC.
    "xn--bcher-2pa", "xn--a-vca", "xn--jm6c", "xn--a-4wn", "xn--a-wbb.example", "xn--bucher-xyd", "xn--a-ecp",
    "xn--hkgbechtv0", "xn--pa-hia9",
    // Joiners and directions that stand where they may not, and the sign for what could not be read.
    "xn--1ug.example", "xn--0ug.example", "xn--a-yoc", "xn--zn7c.com", "xn--ls8h=",
  ])
  func `an A-label that is not the Punycode of an international label is refused`(host: String) {
    #expect(failure(host) == (host.hasSuffix("=") ? .forbiddenCodePoint("=") : .invalidPunycode))
  }

  @Test(arguments: ["xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--ls8h.la", "xn--n3h.net", "xn--fa-hia.de"])
  func `an A-label stays, also one whose characters are not taken outside ASCII`(host: String) throws {
    #expect(try HostName(host).text == host.lowercased())
  }

  @Test func `no text traps, and what is canonical stays as it is`() throws {
    var source = FieldFuzz(seed: 3986, near: [])
    let vocabulary = [
      "a", "b", "xn--", "-", ".", ".", "1", "0x", "ff", "%41", "%c3%bc", "%", "[", "]", ":", "::", "ü", "ß", "א",
      "\u{301}", "。",
      "Ａ", "256", "例", "_", "zca", "kva", "9", "é", "Σ", "٠",
    ]
    var canonical = 0
    for round in 0..<100_000 {
      let prefix = round.isMultiple(of: 5) ? "[" : round.isMultiple(of: 3) ? "xn--" : ""
      let host = prefix + String(decoding: source.bytes(from: vocabulary, pieces: 8), as: UTF8.self)
      do throws(HostNameError) {
        let name = try HostName(host)
        canonical += 1
        let again = try HostName(name.text)
        #expect(again == name && name.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(host)")
      } catch {
        continue
      }
    }
    #expect(canonical > 10_000)
  }

  @Test func `no scalar traps anywhere in a label`() {
    var taken = 0
    let values = Array(UInt32(0)...0xFFFF) + Array(stride(from: UInt32(0x10000), through: 0x10FFFF, by: 17))
    for scalar in values.compactMap(Unicode.Scalar.init) {
      if failure("a\(scalar)b") == nil { taken += 1 }
    }
    #expect((50_000...65_536).contains(taken))
  }
}
