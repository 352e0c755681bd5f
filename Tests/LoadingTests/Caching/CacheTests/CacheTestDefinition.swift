import FoundationEssentials

/// One case of the cache-tests suite, as `tests.json` has it.
struct CacheTestDefinition: Decodable, Sendable {
  var id: String
  var name: String
  var kind: String?
  var requests: [Step]
  var dependsOn: [String]?
  var browserOnly: Bool?
  var browserSkip: Bool?
  var cdnOnly: Bool?

  enum CodingKeys: String, CodingKey {
    case id, name, kind, requests
    case dependsOn = "depends_on"
    case browserOnly = "browser_only"
    case browserSkip = "browser_skip"
    case cdnOnly = "cdn_only"
  }

  /// Whether it speaks of a private cache.
  var isForPrivateCaches: Bool { cdnOnly != true && browserSkip != true }
  var isRequired: Bool { kind == nil || kind == "required" }

  /// One request, what the origin answers, and what is expected.
  struct Step: Decodable, Sendable {
    private var members: [String: Value]

    init(from decoder: any Decoder) throws {
      members = try decoder.singleValueContainer().decode([String: Value].self)
    }

    subscript(name: String) -> Value? { members[name] }
    func has(_ name: String) -> Bool { members[name] != nil }
    func text(_ name: String) -> String? { members[name]?.text }
    func isTrue(_ name: String) -> Bool { members[name] == .truth(true) }
    func fields(_ name: String) -> [[Value]] {
      (members[name]?.elements ?? []).map { $0.elements ?? [$0] }
    }
    /// Whether a failed check means that the case could not be set up.
    func isSetup(_ check: String) -> Bool {
      isTrue("setup") || (members["setup_tests"]?.elements ?? []).contains(.text(check))
    }
  }

  /// Any JSON value.
  enum Value: Decodable, Sendable, Hashable {
    case null
    case truth(Bool)
    case number(Int)
    case text(String)
    case list([Value])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .truth(value)
      } else if let value = try? container.decode(Int.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else {
        self = .list(try container.decode([Value].self))
      }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var elements: [Value]? { if case .list(let elements) = self { elements } else { nil } }
  }

  /// All cases of the file; nil where it is not there.
  static func all() throws -> [CacheTestDefinition]? {
    struct Suite: Decodable { var tests: [CacheTestDefinition] }
    var root = URL(filePath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    let file = root.deletingLastPathComponent().appending(path: "shared/data/cache-tests/tests.json")
    guard let data = try? Data(contentsOf: file) else { return nil }
    return try JSONDecoder().decode([Suite].self, from: data).flatMap(\.tests)
  }
}
