import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Testing

/// Values of property lists that are refused rather than changed.
@Suite struct PropertyListValueTests {
  private func read(_ element: String) -> PropertyList? {
    try? PropertyList(parsing: Data("<plist>\(element)</plist>".utf8))
  }

  @Test(arguments: [
    "<integer>1 2</integer>", "<integer>1\n2</integer>", "<integer></integer>", "<integer>1.0</integer>",
    "<real>1 .5</real>", "<real>1e400</real>", "<real>-1e400</real>", "<real>0x1p3</real>", "<real></real>",
    "<real>1,5</real>", "<real>nan(1)</real>", "<date>2001-02-03 T04:05:06Z</date>",
    "<date>2001-02-03T04:05:06Z 1</date>", "<date>0000-02-30T00:00:00Z</date>", "<data>AQ*=</data>",
  ])
  func `what is no number, date or data is refused`(element: String) { #expect(read(element) == nil) }

  @Test(arguments: [
    ("<integer> 12\n</integer>", PropertyList.integer(12)), ("<integer>-0x10</integer>", .integer(-16)),
    ("<real>\t1.5 </real>", .real(1.5)), ("<real>.5</real>", .real(0.5)), ("<real>-1E-3</real>", .real(-0.001)),
    ("<real>inf</real>", .real(.infinity)), ("<real>-infinity</real>", .real(-.infinity)),
    ("<real>1e-400</real>", .real(0)), ("<data>A Q\n= =</data>", .data(Data([1]))),
    ("<date> 2001-02-03T04:05:06Z </date>", .date(Date(timeIntervalSince1970: 981_173_106))),
    ("<date>0001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSince1970: -62_135_596_800))),
    ("<date>1582-10-04T00:00:00Z</date>", .date(Date(timeIntervalSince1970: -12_220_243_200))),
  ])
  func `white space around a value is left out`(element: String, value: PropertyList) {
    #expect(read(element) == value)
  }

  /// Foundation would trap when it prints one.
  @Test func `a date that is not a number, or too far away, is refused, read and written`() throws {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e19, 0x1.0000000000001p53] {
      let list = PropertyList.date(Date(timeIntervalSinceReferenceDate: seconds))
      for format in PropertyList.Format.allCases {
        #expect(#expect(throws: PropertyListError.self) { try list.data(format) }?.kind == .unrepresentable)
      }
      var bytes = Array(try PropertyList.date(Date(timeIntervalSinceReferenceDate: 0)).data(.binary))
      for index in 0..<8 { bytes[9 + index] = UInt8(truncatingIfNeeded: seconds.bitPattern >> UInt64(56 - 8 * index)) }
      #expect(#expect(throws: PropertyListError.self) { try PropertyList(parsing: Data(bytes)) }?.kind == .malformed)
    }
    let far = PropertyList.date(Date(timeIntervalSinceReferenceDate: 0x1p53))
    #expect(try PropertyList(parsing: far.data(.binary)) == far)
    #expect(#expect(throws: PropertyListError.self) { try far.data(.xml) }?.kind == .unrepresentable)
  }

  @Test(
    arguments: [
      ("ISO-8859-1", [0xE9], "é"), ("windows-1252", [0x80], "€"), ("Shift_JIS", [0x93, 0xFA], "日"),
      ("UTF-8", [0xC3, 0xA9], "é"), ("us-ascii", [0x41], "A"),
    ] as [(String, [UInt8], String)])
  func `the declared encoding is read`(name: String, bytes: [UInt8], text: String) throws {
    for declaration in [
      "version='1.0' encoding='\(name)'", "version = \"1.0\"\nencoding = \"\(name)\" standalone='yes'",
    ] {
      let data = Data("<?xml \(declaration)?><plist><string>".utf8) + bytes + Data("</string></plist>".utf8)
      #expect(try PropertyList(parsing: data) == .string(text))
    }
  }

  @Test(arguments: ["UTF-7", "UTF-16", "ISO-2022-CN-EXT", "utf-8//ignore", "US-ASCII"])
  func `an encoding that is not supported, or that the bytes are not in, is refused`(name: String) {
    let data = Data("<?xml version='1.0' encoding='\(name)'?><plist><string>é</string></plist>".utf8)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(parsing: data) }
    #expect(error.map { $0.kind != .malformed } == true)
  }

  @Test(arguments: [
    ("<plist>", true), ("<plist version='1.0'>", true), ("<!-- <a> --> <?x?><plist/>", true),
    ("<?xml version='1.0'?>\n<!DOCTYPE plist PUBLIC", true), ("bplist00", true), ("\u{FEFF}<plist>", true),
    ("<a><plist/></a>", false), ("<a b='<plist>'/>", false), ("<plists>", false), ("<!-- <plist> -->", false),
    ("<!DOCTYPE html><plist>", false), ("<?xml version='1.0'?><rss><!-- <plist> --></rss>", false), ("plist", false),
    ("", false), ("<!--", false), ("{\"a\":\"<plist>\"}", false),
  ])
  func `a list is recognized by its outermost element`(text: String, isList: Bool) throws {
    #expect(PropertyList.isRecognized(Data(text.utf8)) == isList)
    for isBig in [true, false] {
      let wide = text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
      if text.hasPrefix("<") { #expect(PropertyList.isRecognized(Data(wide)) == isList) }
    }
    #expect(PropertyListCoding().recognizes(Data(text.utf8)) == isList)
  }

  @Test(arguments: [
    ("<plist/>", "the plist element is empty"), ("<plist><dict><string/></dict></plist>", "expected <key> or </dict>"),
    ("<plist><dict><key>a</key></dict></plist>", "expected a value after a key"),
    ("<plist><foo/></plist>", "this element is unknown"), ("<plist><array></dict></plist>", "expected </array>"),
    ("<plist><string>&x;</string></plist>", "expected &amp;"),
    ("<plist><integer>x</integer></plist>", "a whole number"),
    ("<plist><true/></plist>x", "expected the end of the list"),
  ])
  func `a message says what was expected`(text: String, reason: String) {
    let error = #expect(throws: PropertyListError.self) { try PropertyList(parsing: Data(text.utf8)) }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }
}
