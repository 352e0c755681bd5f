import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct QueryTests {
  @Test(
    arguments: [
      (["foo": "bar"], "foo=bar"),
      (["foo": ["a", "b"]], "foo%5B%5D=a&foo%5B%5D=b"),
      (["foo": ["bar": "baz"]], "foo%5Bbar%5D=baz"),
      (["foo": ["bar": ["a", ["q": 1]]]], "foo%5Bbar%5D%5B%5D=a&foo%5Bbar%5D%5B%5D%5Bq%5D=1"),
      (["a": [["b": 1], ["c": 2]]], "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=2"),
      (["foo": nil, "x": ""], "foo&x="),
      (["foo": .set(["b", "a"])], "foo=a&foo=b"),
      (["b": 1, "a": 2, "B": 3], "B=3&a=2&b=1"),
      (["v": " :#[]@!$&'()*+,;=/?"], "v=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
      (["v": "%20"], "v=%2520"),
      (["v": "é~-._"], "v=%C3%A9~-._"),
      (["v": true, "w": false], "v=1&w=0"),
      (["v": 1.0, "w": 0.1], "v=1&w=0.1"),
      (["v": "\u{FFFD}\u{1F600}\0\r\n"], "v=%EF%BF%BD%F0%9F%98%80%00%0D%0A"),
      ([:], ""), (["a": [:], "b": []], ""),
      (["\u{FF61}": 1, "\u{1F600}": 2], "%F0%9F%98%80=2&%EF%BD%A1=1"),
    ] as [(Parameters, String)])
  func `AFNetworking's style, byte for byte`(parameters: Parameters, text: String) throws {
    #expect(try QueryEncoding().string(parameters) == text)
  }

  @Test(arguments: [QueryEncoding(), .html])
  func `text of every plane comes back, as a name and as a value`(encoding: QueryEncoding) throws {
    let numbers = Array(0...0x2FFF) + Array(stride(from: 0x3000, through: 0x10FFFF, by: 41)) + [0xFFFF, 0x10FFFF]
    let scalars = numbers.compactMap { Unicode.Scalar(UInt32($0)) }
    let all = String(String.UnicodeScalarView(scalars))
    let text = try encoding.string(.object([Parameters.Member(all, .string(all))]))
    #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    let halves = try text.split(separator: "=").map { half in
      var bytes: [UInt8] = []
      var rest = Array(half.utf8)[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
          continue
        }
        bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
        rest = rest.dropFirst(2)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(halves.count == 2)
    #expect(halves.allSatisfy { $0.unicodeScalars.elementsEqual(scalars) })
  }

  @Test(
    arguments: [
      (.brackets, "a%5B%5D=1&a%5B%5D%5Bb%5D=2"), (.indexed, "a%5B0%5D=1&a%5B1%5D%5Bb%5D=2"),
      (.repeated, "a=1&a%5Bb%5D=2"),
    ] as [(QueryEncoding.ArrayStyle, String)])
  func `arrays are named in the style that is asked for`(style: QueryEncoding.ArrayStyle, text: String) throws {
    var encoding = QueryEncoding()
    encoding.arrays = style
    #expect(try encoding.string(["a": [1, ["b": 2]]]) == text)
  }

  @Test func `a comma-separated array escapes its own commas and takes no containers`() throws {
    var encoding = QueryEncoding()
    encoding.arrays = .commaSeparated
    #expect(try encoding.string(["a": ["x,y", 2, nil], "b": []]) == "a=x%2Cy,2,")
    let error = try #require(throws: ParametersError.self) { try encoding.string(["a": [[1]]]) }
    #expect(error.kind == .unrepresentable)
    #expect(error.path == ["a"])
  }

  @Test func `the other styles`() throws {
    var encoding = QueryEncoding()
    encoding.keys = .dots
    #expect(try encoding.string(["a": ["b": ["c": 1]]]) == "a.b.c=1")
    encoding.order = .source
    #expect(try encoding.string(["b": 1, "a": 2]) == "b=1&a=2")
    encoding.bools = .literal
    #expect(try encoding.string(["b": true]) == "b=true")
    encoding.spaces = .plus
    #expect(try encoding.string(["b c": "+ "]) == "b+c=%2B+")
    let nulls = try QueryEncoding.NullStyle.allCases.map { style in
      encoding.nulls = style
      return try encoding.string(["n": nil])
    }
    #expect(nulls == ["n", "n=", "n=null", ""])
    encoding.custom = { _ in "mine" }
    #expect(try encoding.string(["b": 1]) == "mine")
  }

  @Test func `dates are written in the style that is asked for, and any date is written`() throws {
    let date = Date(timeIntervalSince1970: 981_173_106.5)
    let styles: [(QueryEncoding.DateStyle, String)] = [
      (.description, "d=2001-02-03%2004%3A05%3A06%20%2B0000"), (.iso8601, "d=2001-02-03T04%3A05%3A06Z"),
      (.secondsSince1970, "d=981173106.5"), (.millisecondsSince1970, "d=981173106500"),
      (.custom { _ in "now" }, "d=now"),
    ]
    for (style, text) in styles {
      var encoding = QueryEncoding()
      encoding.dates = style
      #expect(try encoding.string(["d": .date(date)]) == text)
      for seconds in [Double.infinity, -.infinity, .nan, 1e300, -1e18] {
        _ = try encoding.string(["d": .date(Date(timeIntervalSince1970: seconds))])
      }
    }
  }

  @Test func `infinity and NaN are refused, wherever they are`() throws {
    var lists = QueryEncoding()
    lists.arrays = .commaSeparated
    let plain = QueryEncoding()
    for number in [Double.nan, -.infinity, .infinity, .signalingNaN] {
      let value = Parameters.double(number)
      let cases: [(Parameters, QueryEncoding)] = [
        (["a": ["b": value]], plain), (["a": [1, value]], plain), (["a": .set([value])], plain),
        (["a": [1, value]], lists),
      ]
      for (parameters, encoding) in cases {
        let error = #expect(throws: ParametersError.self) { try encoding.string(parameters) }
        #expect(error?.kind == .unrepresentable && error?.path.first?.hasPrefix("a") == true)
      }
    }
    #expect(try lists.string(["a": [1.5, 2]]) == "a=1.5%2C2" || lists.string(["a": [1.5, 2]]) == "a=1.5,2")
  }

  @Test(arguments: [["x"], "x", 1, nil] as [Parameters])
  func `what has no names is refused`(parameters: Parameters) throws {
    #expect(try #require(throws: ParametersError.self) { try QueryEncoding().string(parameters) }.kind == .notNamed)
  }

  @Test func `parameters may be deep, but not without end`() throws {
    func nested(_ levels: Int) -> Parameters { (0..<levels).reduce(1) { inner, _ in ["a": inner] } }
    #expect(try QueryEncoding().string(nested(Parameters.maximumDepth - 1)).hasSuffix("=1"))
    let error = try #require(throws: ParametersError.self) {
      try QueryEncoding().string(nested(Parameters.maximumDepth))
    }
    #expect(error.kind == .tooDeep)
  }

  @Test(arguments: [
    ("http://h/p", "a=2", "http://h/p?a=2"), ("http://h/p?x=1", "a=2", "http://h/p?x=1&a=2"),
    ("http://h/p", "", "http://h/p"), ("http://h/p#top", "a=2", "http://h/p?a=2#top"),
    ("http://h/p?x=1#a?b", "a=2", "http://h/p?x=1&a=2#a?b"), ("http://h/p#a?b", "a=2", "http://h/p?a=2#a?b"),
    ("http://h/p?", "a=2", "http://h/p?a=2"), ("http://h/p?x&", "a=2", "http://h/p?x&a=2"),
    ("http://h", "a", "http://h?a"),
  ])
  func `a query goes in front of the fragment`(url: String, query: String, result: String) throws {
    #expect(try #require(URL(string: url)).appendingQuery(query).absoluteString == result)
  }
}
