import FoundationEssentials
import Testing

@testable import CurlewXML

/// Comments that begin with what ends one, which libxml2 takes for a whole outside of the element.
@Suite struct OuterCommentTests {
  private static let texts = [
    "<a/><!-->x-->", "<a/><!--->x-->", "<a/>\r\n<!-->--><!--->--><?p <!-- ?><!-- > --> ", "<!-->x--><a/><!-->y-->",
    "<!--->x--><!DOCTYPE a [<!-->]>'--><!--->\"--><?p '?>]><!-->y--><a><!-->z--></a><?p?><!-->--><?q?>",
    "<?xml version='1.0'?><!-->x--><a><![CDATA[<!-->]]><b><!--->é--></b></a> <!-->é-->",
    "<?xml version='1.0'?><a b='-->'>--&gt;<?p <!-->?></a>\r<!--->-->\r\n",
  ]

  private static func pairs(_ text: String, bigEndian: Bool) -> Data {
    let units = ("\u{FEFF}" + text).utf16
    return Data(units.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
  }

  @Test(arguments: texts) func `events are the same wherever the stream is cut`(text: String) throws {
    let encoded = [
      Data(text.utf8), Data("\u{FEFF}".utf8) + Data(text.utf8), Self.pairs(text, bigEndian: true),
      Self.pairs(text, bigEndian: false),
    ]
    let wanted = try Events.of(encoded[0])
    #expect(
      wanted.contains { if case .comment(let text) = $0 { text.hasPrefix(">") || text.hasPrefix("->") } else { false } }
    )
    for data in encoded {
      #expect(try Events.of(data, by: 1) == wanted)
      #expect(try Events.of(data, by: 3) == wanted)
      for cut in 0...data.count {
        let parser = try XMLEventParser()
        var events: [XMLEvent] = []
        for piece in [data.prefix(cut), data.dropFirst(cut)] {
          try parser.append(piece)
          while let event = try parser.next() { events.append(event) }
        }
        try parser.finish()
        while let event = try parser.next() { events.append(event) }
        #expect(events == wanted, "cut at \(cut)")
      }
    }
  }

  @Test(arguments: [
    "<a/><!-->", "<a/><!--->", "<a/><!--", "<a/><!", "<a/><!-- x --", "<!-->", "<a/><!---->x", "<a/><!-->-- -->",
  ])
  func `what is no comment is refused wherever the stream is cut`(text: String) {
    for size in [1, 2, 3, 5, 1000] { #expect(throws: XMLError.self) { try Events.of(Data(text.utf8), by: size) } }
  }

  @Test(arguments: [1, 100, 1000, 70_000])
  func `a comment outside of the element has a limit, however it comes`(size: Int) throws {
    let longest = 2000
    for extra in [0, 1] {
      let filler = String(repeating: ">", count: longest + extra - "<!---->".utf8.count)
      let behind = Data("<a/><!--\(filler)-->".utf8)
      // Two bytes of the element tell that it is there.
      let before = Data("<!--\(filler.dropLast(2))--><a/>".utf8)
      for data in [behind, before] {
        if extra == 0 {
          #expect(try count(data, by: size, keeping: longest) == 3)
        } else {
          let error = #expect(throws: XMLError.self) { try count(data, by: size, keeping: longest) }
          #expect(error?.kind == .tooLarge)
        }
      }
    }
  }

  @Test func `one of a megabyte is read`() throws {
    let comment = "<!-->" + String(repeating: "x", count: 1 << 20) + "-->"
    #expect(try Events.of(Data("<a/>\(comment)".utf8), by: 10_000).count == 3)
  }

  private func count(_ data: Data, by size: Int, keeping limit: Int) throws -> Int {
    let parser = try XMLEventParser()
    parser.keptBytes = limit
    var count = 0
    var rest = data[...]
    while !rest.isEmpty {
      try parser.append(rest.prefix(size))
      rest = rest.dropFirst(size)
      while try parser.next() != nil { count += 1 }
    }
    try parser.finish()
    while try parser.next() != nil { count += 1 }
    return count
  }
}
