import Foundation
import Testing

/// `curlew decode` and `curlew encode`.
@Suite struct FormatTests {
  private func decode(_ format: String, _ text: String, _ options: [String] = []) async throws -> ToolRun {
    try await ToolRun(["decode", format, "-"] + options, input: Data(text.utf8))
  }

  private func encode(_ format: String, _ text: String) async throws -> ToolRun {
    try await ToolRun(["encode", format], input: Data(text.utf8))
  }

  @Test func `JSON is printed in its order, with its numbers and the mandatory escapes`() async throws {
    let run = try await decode("json", #" {"b": 1.0, "a" : [1E+05, -0, "\u00e9\/\n"], "c":{}} "#)
    #expect(run.output == #"{"b":1.0,"a":[1E+05,-0,"é/\n"],"c":{}}"# + "\n")
    #expect(run.status == 0)
    #expect(run.errors == "")
  }

  @Test(arguments: [
    ("json", "{\"a\":\n  nul}", [], "line 2, column 6: "),
    (
      "json", "[[[]]]", ["--max-depth", "2"],
      "line 1, column 3: the value is nested deeper than allowed (JSONParsingOptions.maximumDepth) (serialization-failed, while decoding it)."
    ),
    ("json", "[1,2,3]", ["--max-size", "6"], "it is larger than 6 bytes"),
    (
      "json", "", [],
      "line 1, column 1: the document is empty; expected a JSON value (serialization-failed, while decoding it)."
    ),
    ("plist", "<plist>\n<dict>\n<kéy/></dict></plist>", [], "line 3, column 3: "),
    ("plist", "bplist00", [], "at byte 8 of the property list: "),
    ("form", "a=1\n&b=%ff", [], "line 2, column 4: "),
    ("yaml", "a: 1\nb: [c", [], "line 2, column 6: "),
    (
      "yaml", "a: 1\na: 2", [],
      "line 2, column 1: the mapping already has this key (serialization-failed, while decoding it)."
    ),
    (
      "yaml", "[&a x, *a, *a]", ["--max-aliases", "1"],
      "line 1, column 12: there are more aliases than allowed (YAMLParsingOptions.maximumAliases) (serialization-failed, while decoding it)."
    ),
    (
      "yaml", "[[x]]", ["--max-depth", "1"],
      "line 1, column 2: the value is nested deeper than allowed (YAMLParsingOptions.maximumDepth) (serialization-failed, while decoding it)."
    ),
    // 228 bytes of such keys would become 537 MB of JSON.
    ("yaml", "--- {? {? [0] : 0} : 0}", [], "a sequence or mapping is a key inside another key"),
    ("yaml", "--- {? [{? [0] : 0}] : 0}", [], "a sequence or mapping is a key inside another key"),
    ("form", "a\(String(repeating: "%CC%81%CC%96", count: 1_000))]=1", [], "1,024 combining marks in a row"),
    (
      "plist", "<plist><integer>a\(String(repeating: "\u{301}\u{316}", count: 1_000))</integer></plist>", [],
      "expected a whole number"
    ),
    ("form", "a[b][c]=1", ["--max-depth", "2"], "deeper than 2 levels"),
    (
      "auto", "hello", [],
      "(unacceptable-content-type, while decoding it); say which it is, as in `curlew decode yaml`."
    ),
  ])
  func `what cannot be read ends with 1, the place and the reason`(
    format: String, text: String, options: [String], reason: String
  ) async throws {
    let run = try await decode(format, text, options)
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("curlew: standard input: "))
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [
    ("{\"a\":[1]}", "{\"a\":[1]}"),
    ("<plist><array><integer>1</integer><data>AQI=</data></array></plist>", "[1,\"AQI=\"]"),
    ("--- [a, 1]", "[\"a\",1]"),
    ("\u{FEFF}{\"a\":[1]}", "{\"a\":[1]}"),
    ("\u{FEFF}--- [a, 1]", "[\"a\",1]"),
    ("\u{FEFF}<plist><true/></plist>", "true"),
    ("<?xml version='1.0'?><plist><date>2001-02-03T04:05:06Z</date></plist>", "\"2001-02-03T04:05:06Z\""),
  ])
  func `auto goes by the first bytes`(text: String, json: String) async throws {
    let run = try await decode("auto", text)
    #expect(run.output == json + "\n")
  }

  @Test(arguments: [
    (
      "<a><plist/></a>",
      #"{"name":"a","namespace":null,"attributes":{},"children":[{"name":"plist","namespace":null,"#
        + #""attributes":{},"children":[]}]}"#
    ),
    ("<plist><date>0001-01-01T00:00:00Z</date></plist>", #""0001-01-01T00:00:00Z""#),
    (#"{"a":"<plist>"}"#, #"{"a":"<plist>"}"#),
  ])
  func `auto takes for a property list what is one`(text: String, json: String) async throws {
    #expect(try await decode("auto", text).output == json + "\n")
  }

  @Test(arguments: [
    ("json", "4096", true), ("yaml", "4097", false), ("xml", "2048", true), ("xml", "2049", false), ("xml", "0", false),
    ("plist", "512", true), ("plist", "513", false), ("form", "4096", true), ("auto", "4096", true),
    ("auto", "4097", false),
  ])
  func `the depth that may be allowed is that of the format`(format: String, depth: String, isTaken: Bool) async throws
  {
    let documents = [
      "json": "1", "yaml": "--- 1", "xml": "<a/>", "plist": "<plist><true/></plist>", "form": "a=1", "auto": "{}",
    ]
    let run = try await decode(format, documents[format] ?? "", ["--max-depth", depth])
    #expect((run.status == 0) == isTaken, "\(run.errors)")
    if !isTaken { #expect(run.status == 2 && run.errors.contains("--max-depth is between")) }
  }

  @Test func `what a format cannot hold is refused by its place`() async throws {
    let run = try await encode("plist", #"{"people":[{"photo":1},{"photo":null}]}"#)
    #expect(
      run.status == 1 && run.errors.contains("people[1].photo: a property list cannot hold null"), "\(run.errors)")
  }

  @Test(arguments: ["json", "plist", "yaml", "xml", "form"])
  func `a name that an object has twice is refused, not dropped`(format: String) async throws {
    let run = try await encode(format, #"{"name":"a","name":"b"}"#)
    #expect(run.status == 1)
    #expect(run.errors.contains("line 1, column 13: the object already has a member with this name"), "\(run.errors)")
  }

  @Test func `JSON that Python writes for an emoji is YAML too`() async throws {
    #expect(try await decode("yaml", #"{"a":"\ud83d\ude00"}"#).output == "{\"a\":\"😀\"}\n")
  }

  @Test func `auto goes by the name of a file first`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("number.json")
    try Data("1.50".utf8).write(to: file)
    #expect(try await ToolRun(["decode"], input: Data("[1.50]".utf8)).output == "[1.50]\n")
    for words in [["auto", file.path], [file.path], [file.path, "--max-depth", "3"]] {
      #expect(try await ToolRun(["decode"] + words).output == "1.50\n")
    }
    let missing = try await ToolRun(["decode", "json", folder.path + "/none"])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("No such file"))
  }

  @Test(arguments: [
    ("foo%5B%5D=a&foo%5B%5D=b", #"{"foo":["a","b"]}"#),
    ("foo%5Bbar%5D%5B%5D=a&foo%5Bbar%5D%5B%5D%5Bq%5D=1", #"{"foo":{"bar":["a",{"q":"1"}]}}"#),
    ("a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=2", #"{"a":[{"b":"1"},{"c":"2"}]}"#),
    ("foo&x=", #"{"foo":null,"x":""}"#),
    ("=2&a=1&b=2", #"{"":"2","a":"1","b":"2"}"#),
    ("s=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?", #"{"s":" :#[]@!$&'()*+,;=/?"}"#),
    ("s=%2520", #"{"s":"%20"}"#),
    ("s=%C3%A9~-._", #"{"s":"é~-._"}"#),
  ])
  func `a form is read as it is written`(form: String, json: String) async throws {
    #expect(try await decode("form", form).output == json + "\n")
    #expect(try await encode("form", json).output == form)
  }

  @Test(arguments: [
    ("a=1&a=2&a=3", #"{"a":["1","2","3"]}"#), ("=&=1", #"{"":["","1"]}"#), ("a=1&a[b]=2", #"{"a":"1","a[b]":"2"}"#),
    ("%C3%A9=1&e%CC%81=2", "{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}"),
    ("a=1&a[b]=2", #"{"a":"1","a[b]":"2"}"#),
    ("a[b]=2&a=1&a[b]=3", #"{"a":[{"b":"2"},"1"],"a[b]":"3"}"#),
    ("a[=1&]=2&[x]=3&a[b]c=4", #"{"a[":"1","]":"2","[x]":"3","a[b]c":"4"}"#),
    ("a+b=%zz%2&%+f=%", #"{"a b":"%zz%2","% f":"%"}"#),
    ("&&", "{}"),
    ("", "{}"),
  ])
  func `a form that others wrote is read without loss`(form: String, json: String) async throws {
    #expect(try await decode("form", form).output == json + "\n")
  }

  @Test(arguments: [
    (
      "b: 0x1F\na: [1.50, .inf, ~, yes]\n? [x]\n: 2\n3: !!binary AAEC", [],
      #"{"b":31,"a":[1.50,".inf",null,"yes"],"[\"x\"]":2,"3":"AAEC"}"#
    ),
    ("- yes\n- 0o7", ["--schema", "1.1"], #"[true,"0o7"]"#),
    ("- true\n- 0x1", ["--schema", "json"], #"[true,"0x1"]"#),
    ("- true\n- 1", ["--schema", "failsafe"], #"["true","1"]"#),
    ("&a {x: 1}\n---\n- &b [y]\n- *b\n", [], "{\"x\":1}\n[[\"y\"],[\"y\"]]"),
  ])
  func `YAML is printed a line each document`(yaml: String, options: [String], json: String) async throws {
    let run = try await decode("yaml", yaml, options)
    #expect(run.output == json + "\n")
    #expect(run.errors == "")
  }

  /// A GIF of one transparent pixel.
  private static let gif = Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()

  @Test(arguments: ["image", "auto"]) func `a picture is told by its header`(format: String) async throws {
    let run = try await ToolRun(["decode", format], input: Self.gif)
    #expect(
      run.output == #"{"format":"gif","mediaType":"image/gif","width":1,"height":1,"orientation":1,"frames":1,"#
        + #""hasAlpha":true,"bitDepth":1,"bytes":42}"# + "\n")
    let cut = try await ToolRun(["decode", "image"], input: Self.gif.prefix(9))
    #expect(cut.status == 1 && cut.errors.hasPrefix("curlew: standard input: at byte "))
  }

  @Test func `YAML is written and read again`() async throws {
    let json = #"{"b":"no","a":[1,-2.5,true,{}],"n":null,"big":123456789012345678901234567890,"t":"x\ny\n"}"#
    let yaml = try await encode("yaml", json)
    #expect(yaml.output.hasPrefix("b: 'no'\na:\n  - 1\n"))
    #expect(try await decode("yaml", yaml.output).output == json + "\n")
    #expect(try await encode("yaml", "1\n[2]").output == "--- 1\n---\n- 2\n")
  }

  @Test func `a property list is written and read again`() async throws {
    let json = #"{"b":"<&>","a":[1,-2.5,true,{}],"n":18446744073709551615}"#
    let list = try await encode("plist", json)
    #expect(list.output.contains("<string>&lt;&amp;&gt;</string>"))
    #expect(try await decode("plist", list.output).output == json + "\n")
    let null = try await encode("plist", "[null]")
    #expect(null.status == 1)
    #expect(
      null.errors
        == "curlew: standard input: [0]: a property list cannot hold null (serialization-failed, while encoding it).\n")
  }

  @Test func `documents of a line each stay that many`() async throws {
    #expect(try await encode("json", "{\"a\":1}\n\n[2]\n").output == "{\"a\":1}\n[2]\n")
    #expect(try await encode("json", "{\"a\":\n1}").output == "{\"a\":1}\n")
    let several = try await encode("plist", "1\n2")
    #expect(several.status == 1)
    #expect(several.errors.contains("these are 2"))
    let broken = try await encode("json", "[1]\n[2\n")
    #expect(broken.errors.contains("line 2, column 1: expected the end of the document after its value"))
  }

  @Test(arguments: [
    ["decode", "nosuch"], ["encode", "auto"], ["decode", "json", "--max-depth", "5000"], ["decode"],
    ["decode", "yaml", "--schema", "2"], ["decode", "yaml", "--max-aliases", "-1"],
  ])
  func `a format that is not there is wrong usage`(arguments: [String]) async throws {
    #expect(try await ToolRun(arguments).status == 2)
  }
}
