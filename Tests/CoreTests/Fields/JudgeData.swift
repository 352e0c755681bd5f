import FoundationEssentials

/// The independent suites beside the package, in `../shared/data`.
enum JudgeData {
  static func url(_ path: String) -> URL {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appending(path: "../shared/data").appending(path: path)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path)
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: url(path)), as: UTF8.self)
  }

  static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(path).path).sorted()
  }

  static func json(_ path: String) throws -> [JudgeValue] {
    try JSONDecoder().decode([JudgeValue].self, from: Data(contentsOf: url(path)))
  }
}

/// Any JSON value of a suite.
enum JudgeValue: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JudgeValue])
  case object([String: JudgeValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JudgeValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JudgeValue].self))
    }
  }

  var text: String? { if case .text(let value) = self { value } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var list: [JudgeValue] { if case .list(let value) = self { value } else { [] } }
  var object: [String: JudgeValue] { if case .object(let value) = self { value } else { [:] } }

  subscript(key: String) -> JudgeValue? { object[key] }
}
