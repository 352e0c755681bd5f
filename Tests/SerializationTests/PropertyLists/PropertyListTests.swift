import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct PropertyListTests {
  private static let value: PropertyList = .dictionary([
    .init("z", .string("é\u{1F600}&<>\r\n\t")), .init("int", .integer(-1)), .init("max", .integer(Int128(UInt64.max))),
    .init("min", .integer(Int128(Int64.min))), .init("small", .integer(255)), .init("more", .integer(65_536)),
    .init("real", .real(0.1)), .init("yes", .bool(true)), .init("no", .bool(false)),
    .init("date", .date(Date(timeIntervalSince1970: -86_400 * 365_000))), .init("data", .data(Data(0...255))),
    .init("long", .array((0..<300).map { .integer(Int128($0)) })), .init("", .dictionary([])), .init("a", .array([])),
  ])

  @Test(arguments: PropertyList.Format.allCases)
  func `a list reads back as it was written`(format: PropertyList.Format) throws {
    #expect(try PropertyList(parsing: Self.value.data(format)) == Self.value)
    let slice = (Data([0]) + (try Self.value.data(format))).dropFirst()
    #expect(try PropertyList(parsing: slice) == Self.value)
  }

  @Test(arguments: PropertyList.Format.allCases)
  func `every beginning, and every changed byte, is a value or an error`(format: PropertyList.Format) throws {
    // Few values, for the work grows with the square of the bytes.
    let few: PropertyList = .dictionary([
      .init("é", .array([.integer(-1), .real(0.5), .bool(true)])), .init("d", .data(Data([1]))),
      .init("t", .date(Date(timeIntervalSince1970: 0))),
    ])
    let bytes = [UInt8](try few.data(format))
    for count in 0..<bytes.count { _ = try? PropertyList(parsing: Data(bytes.prefix(count))) }
    for place in bytes.indices {
      for change in [1, 0x0F, 0x7F, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] ^= change
        _ = try? PropertyList(parsing: Data(changed))
      }
    }
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: Data(bytes.dropLast(9))) }
  }

  private func nested(_ levels: Int) -> PropertyList {
    (0..<levels).reduce(.array([])) { inner, _ in .array([inner]) }
  }

  @Test(arguments: PropertyList.Format.allCases)
  func `depth ends at the limit`(format: PropertyList.Format) throws {
    let deep = try nested(511).data(format)
    _ = try PropertyList(parsing: deep)
    var limits = PropertyList.Limits()
    limits.depth = 511
    #expect(
      try #require(throws: PropertyListError.self) { try PropertyList(parsing: deep, limits: limits) }.kind == .tooDeep)
    #expect(throws: PropertyListError.self) { try nested(600).data(format) }
  }

  @Test func `deep XML from elsewhere is refused`() throws {
    let text = "<plist>" + String(repeating: "<array>", count: 1_000_000)
    #expect(
      try #require(throws: PropertyListError.self) { try PropertyList(parsing: Data(text.utf8)) }.kind == .tooDeep)
  }

  @Test func `references that expand without end are refused`() throws {
    // Thirty arrays, each with the next one twice: a thousand million values in 200 bytes.
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for number in 0..<30 as Range<UInt8> {
      offsets.append(UInt8(bytes.count))
      bytes += number == 29 ? [0x09] : [0xA2, number + 1, number + 1]
    }
    let table = UInt8(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 30] + [UInt8](repeating: 0, count: 8)
    bytes += [0, 0, 0, 0, 0, 0, 0, table]
    #expect(
      try #require(throws: PropertyListError.self) { try PropertyList(parsing: Data(bytes)) }.kind == .tooLarge)
    bytes[Int(offsets[3]) + 1] = 0
    #expect(
      try #require(throws: PropertyListError.self) { try PropertyList(parsing: Data(bytes)) }.kind == .tooDeep)
  }

  @Test(
    arguments: [
      ("<integer>0x1F</integer>", .integer(31)), ("<integer> -0x2 </integer>", .integer(-2)),
      ("<string>a<![CDATA[<&]]>b&#x41;&apos;</string>", .string("a<&bA'")), ("<string/>", .string("")),
      ("<true></true>", .bool(true)), ("<real>inf</real>", .real(.infinity)),
      ("<data> A\nQ == </data>", .data(Data([1]))),
      ("<date>2024-02-29T23:59:59Z</date>", .date(Date(timeIntervalSince1970: 1_709_251_199))),
      ("<dict><key/><array/><!-- c --></dict>", .dictionary([.init("", .array([]))])),
      ("<string>a\r\nb\rc</string>", .string("a\nb\nc")),
    ] as [(String, PropertyList)])
  func `XML that is taken`(xml: String, value: PropertyList) throws {
    #expect(
      try PropertyList(parsing: Data("<?xml version='1.0'?>\n<plist version=\"1>\">\(xml)</plist>\n".utf8)) == value)
  }

  @Test(arguments: [
    "<integer>1.5</integer>", "<integer></integer>", "<integer>18446744073709551616</integer>",
    "<integer>+-1</integer>",
    "<date>2023-02-29T00:00:00Z</date>", "<date>now</date>", "<data>*</data>", "<real>1,5</real>", "<foo/>",
    "<true>x</true>",
    "<string>&foo;</string>", "<string>&#0;</string>", "<string>\u{1}</string>", "<dict><string>a</string></dict>",
    "<dict><key>a</key></dict>", "<string>a</strin>", "<array><true/></dict>", "<true/><true/>", "", "x",
    "<string>&#xD800;</string>",
  ])
  func `XML that is refused`(xml: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: Data("<plist>\(xml)</plist>".utf8)) }
  }

  @Test(arguments: [
    "", " ", "{ a = b; }", "<html/>", "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><true/></plist>", "<plist", "bplist00",
    "bplist00\u{8}", "<plist><true/></plist>x",
  ])
  func `what is no property list is an error`(text: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: Data(text.utf8)) }
  }

  /// A binary list: an array that refers to one string again and again.
  private func repeating(_ count: Int, _ string: [UInt8]) -> Data {
    func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) } }
    var bytes = Array("bplist00".utf8)
    bytes += [0xAF, 0x13] + number(count)
    bytes += [UInt8](repeating: 1, count: count)
    let text = bytes.count
    bytes += [0x5F, 0x13] + number(string.count)
    bytes += string
    let table = bytes.count
    bytes += number(8) + number(text)
    // Offsets of eight bytes and references of one.
    bytes += [0, 0, 0, 0, 0, 0, 8, 1]
    bytes += number(2) + number(0) + number(table)
    return Data(bytes)
  }

  @Test func `a binary list has a limit for what its references repeat`() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let error = try #require(throws: PropertyListError.self) { try PropertyList(parsing: repeating(100, long)) }
    #expect(error.kind == .tooLarge)
    let text = String(decoding: long, as: UTF8.self)
    let list = try PropertyList(parsing: repeating(30, long))
    #expect(list == .array(Array(repeating: .string(text), count: 30)))
    // A small file may repeat more of itself.
    #expect(throws: Never.self) {
      try PropertyList(parsing: repeating(5_000, Array("a text of 26 characters...".utf8)))
    }
  }

  @Test func `too many bytes are refused before they are looked at`() throws {
    var limits = PropertyList.Limits()
    limits.bytes = 3
    let error = try #require(throws: PropertyListError.self) {
      try PropertyList(parsing: Data("<plist/>".utf8), limits: limits)
    }
    #expect(error.kind == .tooLarge)
  }

  @Test func `what a format cannot hold is an error`() {
    let values: [PropertyList] = [
      .uid(1), .string("\u{1}"), .integer(Int128.max), .date(Date(timeIntervalSince1970: .infinity)),
    ]
    for value in values { #expect(throws: PropertyListError.self) { try value.data(.xml) } }
    #expect(throws: PropertyListError.self) { try PropertyList.integer(.max).data(.binary) }
  }

  @Test(arguments: [PropertyList.Format.xml, .binary])
  func `the error of a value that cannot be written says where it is`(format: PropertyList.Format) throws {
    let list = PropertyList.dictionary([
      .init("birds", .array([.string("curlew"), .dictionary([.init("ringed", .integer(.max))])]))
    ])
    let error = try #require(throws: PropertyListError.self) { try list.data(format) }
    #expect(error.path == ["birds", "1", "ringed"])
    #expect("\(error)".hasPrefix("property list, at birds.1.ringed: an integer is out of range"))
  }

  @Test func `the error of a null among parameters says where it is`() throws {
    let error = try #require(throws: ParametersError.self) { try PropertyList(["birds": ["curlew", .null]]) }
    #expect(error.path == ["birds", "1"])
    #expect("\(error)" == "the format cannot represent the value at birds.1")
  }

  private struct Bird: Codable, Equatable {
    var name: String
    var legs: Int
    var eggs: [Date]
  }

  @Test func `a typed value is read from both formats, also as Foundation writes them`() throws {
    let bird = Bird(name: "Curlew", legs: 2, eggs: [Date(timeIntervalSince1970: 1)])
    let head = try makeHead(type: "application/x-plist")
    for format in [PropertyListEncoder().outputFormat, .xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      #expect(try DecodedPropertyListResponseSerializer(Bird.self).output(of: head, encoder.encode(bird)) == bird)
    }
    #expect(try PropertyListResponseSerializer().output(of: head, Data()) == nil)
  }

  @Test func `parameters are sent as a list, nulls are refused`() throws {
    let request = try PropertyListRequestSerializer().request(Request(.post, "http://h/"), ["a": [1, true]])
    guard case .bytes(let data) = request.body.source else { return }
    #expect(try PropertyList(parsing: data) == .dictionary([.init("a", .array([.integer(1), .bool(true)]))]))
    #expect(request.headerFields[.contentType] == "application/x-plist")
    #expect(throws: NetworkError.self) {
      try PropertyListRequestSerializer().request(Request(.post, "http://h/"), ["a": nil])
    }
    #expect(try PropertyListRequestSerializer().request(Request(.post, "http://h/")).headerFields[.contentType] == nil)
  }
}
