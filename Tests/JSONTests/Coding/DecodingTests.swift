import CurlewJSON
import FoundationEssentials
import Testing

struct DecodingTests {
  private struct Everything: Codable, Equatable {
    struct Nested: Codable, Equatable {
      var list: [Int?]
      var map: [String: Double]
    }

    enum Shade: String, Codable { case light, dark }

    var text: String
    var flag: Bool
    var small: Int8
    var large: UInt64
    var real: Double
    var single: Float
    var missing: Int?
    var null: String?
    var date: Date
    var data: Data
    var url: URL
    var amount: Decimal
    var shade: Shade
    var nested: Nested
    var matrix: [[Double]]
    var byNumber: [Int: String]
  }

  private let text = #"""
    {"text":"é\n","flag":true,"small":-128,"large":18446744073709551615,"real":-0.1,"single":0.1,"null":null,
    "date":700000000.5,"data":"AQID","url":"https://example.org/a?b","amount":12.50,"shade":"dark",
    "nested":{"list":[1,null,3],"map":{"a":1,"b":2.5}},"matrix":[[1,2],[],[3.5]],"byNumber":{"7":"seven"}}
    """#

  @Test func `a type is decoded as JSONDecoder does`() throws {
    let data = Data(text.utf8)
    let expected = try JSONDecoder().decode(Everything.self, from: data)
    #expect(try JSONValueDecoder().decode(Everything.self, from: data) == expected)
    #expect(try JSONValueDecoder().decode(Everything.self, from: JSONValue(parsing: data)) == expected)
    #expect(expected.large == UInt64.max)
  }

  @Test func `scalars and arrays are decoded at the top`() throws {
    let decoder = JSONValueDecoder()
    #expect(try decoder.decode(Int.self, from: Data("7".utf8)) == 7)
    #expect(try decoder.decode(String.self, from: Data("\"x\"".utf8)) == "x")
    #expect(try decoder.decode([Double].self, from: Data("[1,2.5]".utf8)) == [1, 2.5])
    #expect(try decoder.decode([Int?].self, from: Data("[1,null]".utf8)) == [1, nil])
    #expect(try decoder.decode(Int?.self, from: Data("null".utf8)) == nil)
    #expect(try decoder.decode([String: [Bool]].self, from: Data(#"{"a":[true]}"#.utf8)) == ["a": [true]])
    #expect(try decoder.decode(Date.self, from: Data("0".utf8)) == Date(timeIntervalSinceReferenceDate: 0))
  }

  @Test func `integers and decimals beyond a Double are exact`() throws {
    let decoder = JSONValueDecoder()
    #expect(try decoder.decode([Int64].self, from: Data("[9007199254740993]".utf8)) == [9_007_199_254_740_993])
    let large = "123456789012345678901234567890.12345678"
    #expect(try decoder.decode([Decimal].self, from: Data("[\(large)]".utf8)) == [try #require(Decimal(string: large))])
    #expect(try decoder.decode([Int128].self, from: Data("[170141183460469231731687303715884105727]".utf8)) == [.max])
  }

  @Test func `values keep order and spelling inside of a type`() throws {
    struct Envelope: Codable {
      var payload: JSONValue
      var object: JSONObject
      var number: JSONNumber
    }
    let text = #"{"payload":{"b":1.0,"a":[1e5]},"object":{"z":0,"y":0},"number":1.50}"#
    let envelope = try JSONValueDecoder().decode(Envelope.self, from: Data(text.utf8))
    #expect(try JSONValueEncoder().encode(envelope).text() == text)
    // Through another coder order and spelling are not known, the values are.
    let other = try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope))
    #expect(other.payload == envelope.payload)
    #expect(other.object == envelope.object)
    #expect(other.number == envelope.number)
  }

  private struct Outer: Decodable {
    struct Inner: Decodable { var value: Int8 }
    var items: [Inner]
  }

  @Test(arguments: [
    (#"{"items":[{"value":1},{"value":"x"}]}"#, "mismatch items/Index 1/value"),
    (#"{"items":[{"value":null}]}"#, "null items/Index 0/value"), (#"{"items":[{}]}"#, "no value items/Index 0"),
    (#"{"items":[{"value":300}]}"#, "corrupted items/Index 0/value"),
    (#"{"items":[{"value":1.5}]}"#, "corrupted items/Index 0/value"), (#"{"items":{}}"#, "mismatch items"),
    (#"{"items":[1]}"#, "mismatch items/Index 0"),
  ])
  func `errors name the coding path`(_ text: String, _ expected: String) throws {
    let error = #expect(throws: DecodingError.self) {
      try JSONValueDecoder().decode(Outer.self, from: Data(text.utf8))
    }
    #expect(error.map(Self.summary) == expected)
  }

  private static func summary(_ error: DecodingError) -> String {
    func join(_ word: String, _ context: DecodingError.Context) -> String {
      word + " " + context.codingPath.map(\.stringValue).joined(separator: "/")
    }
    return switch error {
    case .typeMismatch(_, let context): join("mismatch", context)
    case .valueNotFound(_, let context): join("null", context)
    case .keyNotFound(let key, let context): join("no \(key.stringValue)", context)
    case .dataCorrupted(let context): join("corrupted", context)
    @unknown default: "unknown"
    }
  }

  @Test func `text that is no JSON is an error with its place`() {
    let error = #expect(throws: JSONError.self) {
      try JSONValueDecoder().decode(Outer.self, from: Data("[\n1,".utf8))
    }
    #expect(error?.line == 2)
  }

  @Test func `strategies answer as those of JSONDecoder`() throws {
    struct Model: Codable, Equatable {
      var createdAt: Date
      var rawData: Data
      var ratio: Double
      var myURLNames: [String: Int]
      var _private: Int
    }
    let text = #"{"created_at":1.5,"raw_data":[1,2],"ratio":"+inf","my_url_names":{"snake_case":1},"_private":3}"#
      .replacing("my_url_names", with: "my_uRL_names")
    var ours = JSONValueDecoder()
    let theirs = JSONDecoder()
    ours.keyDecodingStrategy = .convertFromSnakeCase
    theirs.keyDecodingStrategy = .convertFromSnakeCase
    ours.dateDecodingStrategy = .secondsSince1970
    theirs.dateDecodingStrategy = .secondsSince1970
    ours.dataDecodingStrategy = .deferredToData
    theirs.dataDecodingStrategy = .deferredToData
    let floats = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    ours.nonConformingFloatDecodingStrategy = floats
    theirs.nonConformingFloatDecodingStrategy = floats
    struct Names: Codable, Equatable {
      var createdAt: Date
      var rawData: Data
      var ratio: Double
      var myUrlNames: [String: Int]
      var _private: Int
    }
    let data = Data(text.utf8)
    #expect(try ours.decode(Names.self, from: data) == theirs.decode(Names.self, from: data))
    #expect(try ours.decode(Names.self, from: data).myUrlNames == ["snake_case": 1])
  }

  @Test(arguments: [
    (#"{"first_name": ""}"#, #"", but there is "first_name" (`keyDecodingStrategy` converts names)."#),
    (#"{"a": 1, "FirstName": ""}"#, #"", but there is "FirstName"."#),
    (#"{"firstname": ""}"#, #", but there is "firstname"."#),
    ("{\"\(String(repeating: "_", count: 100))firstName\": 1}", #"There is no member named "firstName"."#),
    (#"{"firstNames": ""}"#, #"There is no member named "firstName"."#),
    ("{}", #"There is no member named "firstName"."#),
  ])
  func `a missing member names one that differs in case and underscores`(_ document: String, _ text: String) throws {
    struct Person: Decodable { var firstName: String }
    let error = #expect(throws: DecodingError.self) {
      try JSONValueDecoder().decode(Person.self, from: Data(document.utf8))
    }
    guard case .keyNotFound(_, let context) = error else { throw try #require(error) }
    #expect(context.debugDescription.hasSuffix(text), "\(context.debugDescription)")
  }

  @Test func `dates are read by every strategy`() throws {
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let date = Date(timeIntervalSince1970: 1_577_836_800)
    #expect(try decoder.decode([Date].self, from: Data(#"["2020-01-01T00:00:00Z"]"#.utf8)) == [date])
    for text in ["yesterday", "2020-01-01T00:00:00Z, or so", "2020-02-30T00:00:00Z"] {
      #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8)) }
    }
    let error = #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: Data("[1577836800]".utf8)) }
    #expect(
      "\(error as Any)".contains("Expected Date, but found a number; `dateDecodingStrategy` says what numbers count."))
    decoder.dateDecodingStrategy = .millisecondsSince1970
    #expect(try decoder.decode([Date].self, from: Data("[1577836800000]".utf8)) == [date])
    decoder.dateDecodingStrategy = .custom { decoder in
      Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) * 60)
    }
    #expect(try decoder.decode([Date].self, from: Data("[26297280]".utf8)) == [date])
  }

  @Test func `a value nested by hand deeper than 512 levels is an error`() {
    struct Tree: Decodable { var child: [Tree] }
    func tree(_ depth: Int) -> JSONValue {
      (0..<depth).reduce(["child": []]) { value, _ in ["child": [value]] }
    }
    #expect(throws: Never.self) { try JSONValueDecoder().decode(Tree.self, from: tree(250)) }
    #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Tree.self, from: tree(300)) }
  }

  @Test func `class hierarchies reach super's values and user info is passed on`() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "factor"))
    struct Scaled: Decodable {
      var value: Int
      init(from decoder: any Decoder) throws {
        let factor = CodingUserInfoKey(rawValue: "factor").flatMap { decoder.userInfo[$0] as? Int }
        var container = try decoder.unkeyedContainer()
        let inner = try container.superDecoder().singleValueContainer().decode(Int.self)
        var nested = try container.nestedUnkeyedContainer()
        value = try (inner + nested.decode(Int.self)) * (factor ?? 1)
        #expect(container.isAtEnd && nested.isAtEnd)
      }
    }
    var decoder = JSONValueDecoder()
    decoder.userInfo[key] = 10
    #expect(try decoder.decode(Scaled.self, from: Data("[1,[2]]".utf8)).value == 30)
  }

  private struct Named: Decodable, Equatable {
    enum CodingKeys: String, CodingKey {
      case first, second, aNameOfMoreThanFifteenBytes, schön
    }

    var first: Int
    var second: Int?
    var aNameOfMoreThanFifteenBytes: Int
    var schön: Int?
  }

  @Test func `members are found in any order, with names of any length, and among many others`() throws {
    let members = [#""first":1"#, #""second":2"#, #""aNameOfMoreThanFifteenBytes":3"#, #""schön":4"#]
    let expected = Named(first: 1, second: 2, aNameOfMoreThanFifteenBytes: 3, schön: 4)
    let others = (0..<100).map { "\"other\($0)\":0" }
    for start in members.indices {
      let turned = Array(members[start...] + members[..<start])
      for all in [turned, turned.reversed(), Array(others.prefix(3)) + turned, others + turned, turned + others] {
        let data = Data("{\(all.joined(separator: ","))}".utf8)
        #expect(try JSONValueDecoder().decode(Named.self, from: data) == expected, "\(all.prefix(6))")
      }
    }
    // Decomposed, it is another name.
    let decomposed = Data(#"{"first":1,"aNameOfMoreThanFifteenBytes":3,"scho\u0308n":4}"#.utf8)
    #expect(try JSONValueDecoder().decode(Named.self, from: decomposed).schön == nil)
  }

  @Test func `of names that were kept twice the last is decoded, however the object was changed`() throws {
    var options = JSONParsingOptions()
    options.duplicateNames = .keepAll
    let few =
      #"{"first":0,"gone":1,"first":1,"aNameOfMoreThanFifteenBytes":9,"null":null,"aNameOfMoreThanFifteenBytes":3}"#
    let expected = Named(first: 1, second: nil, aNameOfMoreThanFifteenBytes: 3, schön: nil)
    let value = try JSONValue(parsing: Data(few.utf8), options: options)
    #expect(try JSONValueDecoder().decode(Named.self, from: value) == expected)
    #expect(try JSONValueDecoder().decode(Named.self, from: value.removingNulls()) == expected)
    var object = try #require(value.objectValue)
    object.removeValue(named: "gone")
    #expect(try JSONValueDecoder().decode(Named.self, from: .object(object)) == expected)
    for number in 0..<100 { object["other\(number)"] = 0 }
    #expect(try JSONValueDecoder().decode(Named.self, from: .object(object)) == expected)
  }

  @Test(
    arguments: [
      (#"{"list":["a",1]}"#, "list.1"), (#"{"list":["a",null]}"#, "list.1"), (#"{"list":1}"#, "list"),
      (#"{"numbers":[1,1.5]}"#, "numbers.1"), (#"{"numbers":[1,"x"]}"#, "numbers.1"),
      (#"{"reals":[1,true]}"#, "reals.1"), (#"{"reals":[1,1e999]}"#, "reals.1"),
    ])
  func `an error inside an array of strings or numbers has its path`(_ text: String, _ path: String) throws {
    struct Lists: Decodable {
      var list: [String]?
      var numbers: [Int]?
      var reals: [Double]?
    }
    do {
      _ = try JSONValueDecoder().decode(Lists.self, from: Data(text.utf8))
      Issue.record("decoded \(text)")
    } catch let error as DecodingError {
      let context: DecodingError.Context =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
          .dataCorrupted(let context):
          context
        @unknown default: throw error
        }
      let found = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
      #expect(found == path)
    }
  }

  @Test func `arrays of strings and numbers obey the strategies`() throws {
    var decoder = JSONValueDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    #expect(try decoder.decode([Double].self, from: Data(#"[1,"-inf"]"#.utf8)) == [1, -.infinity])
    #expect(try decoder.decode([String: [Int]].self, from: Data(#"{"a":[1,2.0,3e0]}"#.utf8)) == ["a": [1, 2, 3]])
    #expect(try decoder.decode([[String]].self, from: Data(#"[["a"],[]]"#.utf8)) == [["a"], []])
  }

  @Test func `a dictionary refuses names that differ only in their normal form, and a JSONObject keeps both`() throws {
    let text = "{\"\u{E9}\":1,\"a\":3,\"e\u{301}\":2}"
    for (value, path) in [(text, ["e\u{301}"]), ("{\"x\":[\(text)]}", ["x", "Index 0", "e\u{301}"])] {
      for strategy in [JSONDecoder.KeyDecodingStrategy.useDefaultKeys, .convertFromSnakeCase] {
        var decoder = JSONValueDecoder()
        decoder.keyDecodingStrategy = strategy
        let parsed = try JSONValue(parsing: value)
        let error = #expect(throws: DecodingError.self) {
          if path.count == 1 {
            _ = try decoder.decode([String: Int].self, from: parsed)
          } else {
            _ = try decoder.decode([String: [[String: Int]]].self, from: parsed)
          }
        }
        guard case .dataCorrupted(let context) = error else {
          return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.codingPath.map { Array($0.stringValue.utf8) } == path.map { Array($0.utf8) })
      }
    }
    let object = try JSONValueDecoder().decode(JSONObject.self, from: JSONValue(parsing: text))
    #expect(object.map(\.value) == [1, 3, 2] && object["\u{E9}"] == 1 && object["e\u{301}"] == 2)
    // A duplicate of the very same name is the parser's business.
    var options = JSONParsingOptions()
    options.duplicateNames = .keepAll
    let twice = try JSONValue(parsing: #"{"a":1,"a":2}"#, options: options)
    #expect(try JSONValueDecoder().decode([String: Int].self, from: twice) == ["a": 2])
  }
}
