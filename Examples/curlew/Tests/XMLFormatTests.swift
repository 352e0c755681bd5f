import Foundation
import Testing

/// `curlew decode xml` and `curlew encode xml`.
@Suite struct XMLFormatTests {
  private func decode(_ text: String, _ options: [String] = []) async throws -> ToolRun {
    try await ToolRun(["decode", "xml", "-"] + options, input: Data(text.utf8))
  }

  private let feed = "<f xmlns='urn:f' xmlns:p='urn:p' a='1' p:b='2'>x<!--c-->&amp;<![CDATA[<]]><p:e/>y</f>"

  @Test func `a document is its elements, attributes and texts`() async throws {
    let run = try await decode(feed)
    #expect(
      run.output
        == #"{"name":"f","namespace":"urn:f","attributes":{"a":"1","{urn:p}b":"2"},"children":["x&<","#
        + #"{"name":"e","namespace":"urn:p","attributes":{},"children":[]},"y"]}"# + "\n")
    #expect(run.status == 0)
    #expect(try await decode("<a/>").output.contains(#""namespace":null"#))
  }

  @Test func `what is decoded is encoded again`() async throws {
    let json = try await decode(feed).output
    let xml = try await ToolRun(["encode", "xml"], input: Data(json.utf8))
    #expect(xml.status == 0)
    #expect(try await decode(xml.output).output == json)
    let hostile = try await ToolRun(["encode", "xml"], input: Data(#"{"name":"a><b"}"#.utf8))
    #expect(hostile.status == 1 && hostile.errors.contains("is not a valid XML name"))
  }

  @Test func `the canonical form is printed to the byte`() async throws {
    #expect(try await decode("<a  c='1' b='2'/>", ["--c14n"]).output == #"<a b="2" c="1"></a>"#)
    #expect(try await decode("<a><!--c--></a>", ["--c14n", "--with-comments"]).output == "<a><!--c--></a>")
  }

  @Test func `matches of an expression are printed a line each`() async throws {
    let text = "<r xmlns:p='urn:p'><p:i n='1'>a</p:i><p:i n='2'>b</p:i></r>"
    #expect(try await decode(text, ["--xpath", "//p:i/@n"]).output == "\"1\"\n\"2\"\n")
    #expect(try await decode(text, ["--xpath", "//q:i/text()", "--namespace", "q=urn:p"]).output == "\"a\"\n\"b\"\n")
    #expect(try await decode(text, ["--xpath", "count(//p:i)"]).output == "2\n")
    let first = try await decode(text, ["--xpath", "//p:i[1]", "--c14n"])
    #expect(first.output == "<p:i xmlns:p=\"urn:p\" n=\"1\">a</p:i>\n")
    #expect(try await decode(text, ["--xpath", "//["]).status == 1)
  }

  @Test func `a text of any kind is printed as JSON`() async throws {
    let text = "<a b='&quot;&#92;&#9;'>&#10;\"\\<!--c-->é😀<b>x</b><?p?>&#13;</a>"
    let json =
      #"{"name":"a","namespace":null,"attributes":{"b":"\"\\\t"},"children":["\n\"\\é😀","#
      + #"{"name":"b","namespace":null,"attributes":{},"children":["x"]},"\r"]}"#
    #expect(try await decode(text).output == json + "\n")
    #expect(try await decode("<a><b/><c/>x</a>", ["--xpath", "//a/*"]).output.split(separator: "\n").count == 2)
  }

  @Test func `an expression that is too expensive is not called invalid`() async throws {
    let text = "<a>" + String(repeating: "<b/>", count: 20_000) + "</a>"
    let run = try await decode(text, ["--xpath", "count(//*[count(//*) > 0])"])
    #expect(run.status == 1 && run.errors.contains("takes more steps than allowed"), "\(run.errors)")
    let invalid = try await decode("<a/>", ["--xpath", "//["])
    #expect(invalid.errors.contains("not a valid XPath 1.0 expression"), "\(invalid.errors)")
  }

  @Test(arguments: [
    ("<a>\n<b></a>", [], "line 2, column "), ("<a><a/></a>", ["--max-depth", "1"], "nested deeper than 1"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM '/etc/passwd'>]><a>&e;</a>", [], "external entity"),
    ("<a/>", ["--max-size", "3"], "larger than 3 bytes"),
  ])
  func `what cannot be read ends with 1 and the place`(text: String, options: [String], reason: String) async throws {
    let run = try await decode(text, options)
    #expect(run.status == 1 && run.output == "" && run.errors.contains(reason), "\(run.errors)")
  }
}
