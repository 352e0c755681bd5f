import CurlewImageBytes
import Testing

struct SVGTests {
  private func size(_ attributes: String) throws -> [Int] {
    let info = try ImageInfo(verifying: Array("<svg \(attributes)></svg>".utf8))
    return [info.width, info.height]
  }

  @Test func `the size comes from width, height and view box`() throws {
    let expected: [(String, [Int])] = [
      ("width='30' height='20'", [30, 20]), ("width='30px' height=' 20px '", [30, 20]),
      ("width='1in' height='2.54cm'", [96, 96]), ("width='25.4mm' height='101.6q'", [96, 96]),
      ("width='72pt' height='6pc'", [96, 96]), ("width='2em' height='2ex'", [32, 16]),
      ("width='1e2' height='+5.4'", [100, 5]), ("width='0.2' height='.2'", [1, 1]),
      ("viewBox='0 0 30 20'", [30, 20]), ("viewBox='0,0,30.4,20.6'", [30, 21]),
      ("width='60' viewBox='0 0 30 20'", [60, 40]), ("height='60' viewBox='0 0 30 20'", [90, 60]),
      ("width='100%' height='100%' viewBox='-5 -5 30 20'", [30, 20]), ("", [300, 150]), ("width='10'", [10, 150]),
      ("width='abc' height='-1'", [300, 150]), ("width='0x10' height='inf'", [300, 150]),
      ("width='1e' height='2e3px'", [300, 2000]), ("viewBox='0 0 0 20'", [300, 150]),
      ("viewBox='0 0 nan 1'", [300, 150]),
      ("data-width='9' xml:width='8' width = \"30\" height\n=\n'20'", [30, 20]),
      ("title='a > b' width='30'", [30, 150]),
    ]
    for (attributes, size) in expected { #expect(try self.size(attributes) == size, "\(attributes)") }
  }

  @Test func `what stands before the first tag is passed over`() throws {
    let prologs = [
      "", "\u{FEFF}", " \r\n\t", "<?xml version='1.0' encoding='UTF-8'?>\n", "<!-- <svg width='1'> -->",
      "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>",
      "<!DOCTYPE svg [ <!ENTITY ns 'a > b ]'> <!-- it's ]> a comment --> <?pi?> ]>", "<!DOCTYPE svg>",
      "<?xml-stylesheet href='a.css'?><!---->",
    ]
    for prolog in prologs {
      let text = prolog + "<svg width='30' height='20'/>"
      let info = try ImageInfo(verifying: Array(text.utf8))
      #expect((info.format, info.width, info.height) == (.svg, 30, 20), "\(prolog)")
    }
  }

  @Test func `prefixed names and UTF-16 are read`() throws {
    let text = "<s:svg xmlns:s='http://www.w3.org/2000/svg' width='30' height='20'><s:g title='ü'/></s:svg>"
    let units = Array(text.utf16)
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for file in [Array(text.utf8), big, little, [0xFE, 0xFF] + big, [0xFF, 0xFE] + little] {
      let info = try ImageInfo(verifying: file)
      #expect((info.format, info.width, info.height, info.bitDepth) == (.svg, 30, 20, nil))
    }
  }

  @Test func `elements that are not closed, or closed twice, are found`() throws {
    #expect(
      try ImageInfo(verifying: Array("<svg><g><!-- </g> --><![CDATA[ </g> ]]></g></svg>\n<!-- -->".utf8)).width == 300)
    for text in ["<svg>", "<svg><g></svg>", "<svg></svg></svg>", "<svg/><svg/>", "<svg><!-- </svg>", "<svg></svg"] {
      #expect((try? ImageInfo(of: Array(text.utf8))) != nil)
      #expect(throws: ImageError.self, "\(text)") { try ImageInfo(verifying: Array(text.utf8)) }
    }
  }

  @Test func `depth costs no stack`() throws {
    let depth = 200_000
    let text = "<svg>" + String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth) + "</svg>"
    #expect(try ImageInfo(verifying: Array(text.utf8)).format == .svg)
  }

  @Test func `a broken first tag is refused`() {
    for text in ["<svg width=30>", "<svg width>", "<svg ='1'>", "<svg \"\">", "<svg width='30'", "<svg <g>"] {
      #expect(throws: ImageError.self, "\(text)") { try ImageInfo(of: Array(text.utf8)) }
    }
  }
}
