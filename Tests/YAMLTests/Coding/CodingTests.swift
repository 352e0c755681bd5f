import CurlewYAML
import Foundation
import Testing

struct CodingTests {
  struct Config: Codable, Equatable {
    struct Server: Codable, Equatable {
      var host: String
      var port: UInt16
      var weight: Double?
    }
    enum Level: String, Codable { case debug, info }

    var name: String
    var level: Level
    var servers: [Server]
    var limits: [String: Int]
    var ports: [Int: String]
    var started: Date
    var key: Data
    var home: URL
    var price: Decimal
    var flags: [Bool]
    var note: String?
  }

  static let text = """
    name: "1.10"
    level: info
    servers:
      - &first {host: a, port: 80}
      - {host: b, port: 65535, weight: 2}
    limits: {x: 1, 'y': -5}
    ports: {8080: web, '22': ssh}
    started: "2026-11-21T08:00:00Z"
    key: !!binary |
      AAEC
      Aw==
    home: https://a/b
    price: 12.30
    flags: [true, false]
    note: ~
    unknown: [1]
    """

  static let config = Config(
    name: "1.10", level: .info, servers: [.init(host: "a", port: 80), .init(host: "b", port: 65535, weight: 2)],
    limits: ["x": 1, "y": -5], ports: [8080: "web", 22: "ssh"], started: Date(timeIntervalSince1970: 1_795_248_000),
    key: Data([0, 1, 2, 3]), home: URL(string: "https://a/b") ?? URL(filePath: "/"),
    price: Decimal(string: "12.3") ?? 0,
    flags: [true, false], note: nil)

  @Test func `a type is decoded`() throws {
    #expect(try YAMLValueDecoder().decode(Config.self, from: Self.text) == Self.config)
    #expect(try YAMLValueDecoder().decode(Config.self, from: Data(Self.text.utf8)) == Self.config)
  }

  @Test(arguments: [YAMLFormat.block, .flow]) func `what is encoded decodes again`(format: YAMLFormat) throws {
    let data = try YAMLValueEncoder().data(Self.config, as: format)
    #expect(try YAMLValueDecoder().decode(Config.self, from: data) == Self.config)
  }

  @Test func `keys keep the order in which they are encoded`() throws {
    let value = try YAMLValueEncoder().encode(Config.Server(host: "h", port: 1, weight: 0.5))
    #expect(value.text() == "host: h\nport: 1\nweight: 0.5\n")
    #expect(try YAMLValueEncoder().encode(Data([0])).text() == "!!binary AA==\n")
  }

  private func failure<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> DecodingError {
    try #require(throws: DecodingError.self) { try YAMLValueDecoder().decode(type, from: text) }
  }

  @Test func `an error tells the coding path`() throws {
    let error = try failure([String: [Config.Server]].self, "a: [{host: x, port: 65536}]")
    guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error)") }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0", "port"])
    #expect(context.debugDescription.contains("65536"))
  }

  @Test func `kinds are not mixed up`() throws {
    guard case .typeMismatch(_, let context) = try failure([String: String].self, "version: 1.10") else {
      return #expect(Bool(false))
    }
    #expect(context.codingPath.map(\.stringValue) == ["version"])
    #expect(context.debugDescription.contains("a float"))
    guard case .valueNotFound = try failure([Int].self, "[~]") else { return #expect(Bool(false)) }
    guard case .keyNotFound(let key, let missing) = try failure(Config.Server.self, "{host: x, PORT: 1}") else {
      return #expect(Bool(false))
    }
    #expect(key.stringValue == "port" && missing.debugDescription == #"There is no key "port", but there is "PORT"."#)
    guard case .typeMismatch = try failure([String].self, "{a: b}") else { return #expect(Bool(false)) }
    guard case .typeMismatch = try failure([Int].self, "['1']") else { return #expect(Bool(false)) }
    guard case .dataCorrupted = try failure([Int].self, "[1.5]") else { return #expect(Bool(false)) }
    guard case .dataCorrupted = try failure([Double].self, "[1e999]") else { return #expect(Bool(false)) }
    guard case .dataCorrupted = try failure([Date].self, "[yesterday]") else { return #expect(Bool(false)) }
  }

  @Test func `numbers fit where they are exact`() throws {
    #expect(try YAMLValueDecoder().decode([Int].self, from: "[1.0, 1e2, 0x10]") == [1, 100, 16])
    #expect(try YAMLValueDecoder().decode([Double].self, from: "[1, .inf, 0.1]") == [1, .infinity, 0.1])
    #expect(try YAMLValueDecoder().decode([Float].self, from: "[16777217.0, -.inf]") == [16777216, -.infinity])
    #expect(try YAMLValueDecoder().decode([UInt128].self, from: "[340282366920938463463374607431768211455]") == [.max])
    #expect(try YAMLValueDecoder().decode(Double.self, from: ".nan").isNaN)
  }

  @Test func `values are parts of types and keep what they are`() throws {
    struct Part: Codable, Equatable {
      var any: YAMLValue
      var map: YAMLMapping
      var int: YAMLInteger
      var float: YAMLFloat
    }
    let text = "any: !t [1.50, {2: x}]\nmap: {b: 1, a: 2}\nint: 123456789012345678901234567890\nfloat: 1.10\n"
    let part = try YAMLValueDecoder().decode(Part.self, from: text)
    #expect(part.any.tag == "!t" && part.float.text == "1.10" && part.map.map(\.key) == ["b", "a"])
    #expect(try YAMLValueDecoder().decode(Part.self, from: YAMLValueEncoder().data(part)) == part)
  }

  @Test func `other coders get what they can take`() throws {
    let value: YAMLValue = ["a": [1, 2.5, "x", nil, true], "b": [:]]
    let json = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(YAMLValue.self, from: json) == value)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([[1]: 2] as YAMLValue) }
  }

  @Test func `strategies for dates are obeyed`() throws {
    var encoder = YAMLValueEncoder()
    encoder.dateStrategy = .secondsSince1970
    #expect(try encoder.encode(Date(timeIntervalSince1970: 1.5)) == 1.5)
    var decoder = YAMLValueDecoder()
    decoder.dateStrategy = .secondsSince1970
    #expect(try decoder.decode(Date.self, from: "2") == Date(timeIntervalSince1970: 2))
    #expect(
      try YAMLValueDecoder().decode(Date.self, from: "'1970-01-01T00:00:01.500Z'") == Date(timeIntervalSince1970: 1.5))
    for text in ["2026-02-30T00:00:00Z", "2026-11-21T25:00:00Z", "2026-11-21T08:00:00Z, or so"] {
      #expect(throws: DecodingError.self) { try YAMLValueDecoder().decode(Date.self, from: "'\(text)'") }
    }
  }

  @Test func `a decimal with more digits than fit is an error`() throws {
    let decoder = YAMLValueDecoder()
    let digits = String(repeating: "12345678", count: 4) + "901234"
    #expect(try decoder.decode(Decimal.self, from: digits) == Decimal(string: digits))
    #expect(try decoder.decode(Decimal.self, from: "-0.50e3") == -500)
    #expect(throws: DecodingError.self) { try decoder.decode(Decimal.self, from: digits + digits + "1") }
    #expect(throws: DecodingError.self) { try decoder.decode(Decimal.self, from: "0." + digits + digits + "1") }
  }

  private indirect enum Chain: Codable {
    case end
    case link(Chain)

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      self = container.isAtEnd ? .end : .link(try container.decode(Chain.self))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if case .link(let next) = self { try container.encode(next) }
    }
  }

  @Test func `types nested too deep are refused both ways`() throws {
    var options = YAMLParsingOptions()
    options.maximumDepth = 2000
    var decoder = YAMLValueDecoder()
    decoder.parsingOptions = options
    let deep = String(repeating: "[\n", count: 600) + String(repeating: "]", count: 600)
    #expect(throws: DecodingError.self) { try decoder.decode(Chain.self, from: deep) }
    var chain = Chain.end
    for _ in 0..<600 { chain = .link(chain) }
    #expect(throws: EncodingError.self) { try YAMLValueEncoder().encode(chain) }
  }

  @Test(arguments: ["\u{E9}: 1\ne\u{301}: 2", "1: 1\n'1': 2", "x: {\u{E9}: 1, e\u{301}: 2}"])
  func `a dictionary refuses two keys that are one String, and a mapping keeps both`(text: String) throws {
    let value = try YAMLValue(parsing: text)
    if let inner = value["x"] {
      #expect(inner.mappingValue?.count == 2)
      #expect(throws: DecodingError.self) { try YAMLValueDecoder().decode([String: [String: Int]].self, from: value) }
    } else {
      #expect(value.mappingValue?.count == 2)
      #expect(throws: DecodingError.self) { try YAMLValueDecoder().decode([String: Int].self, from: value) }
    }
    #expect(
      try YAMLValueDecoder().decode([String: Int?].self, from: YAMLValue(parsing: "a: 1\n2: ~")) == ["a": 1, "2": nil])
  }
}
