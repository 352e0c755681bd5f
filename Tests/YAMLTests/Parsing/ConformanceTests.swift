import CurlewYAML
import Foundation
import Testing

@Suite(.enabled(if: SharedData.isPresent, "shared/data is not beside the package"))
struct ConformanceTests {
  /// Valid cases that are refused, as libyaml 0.2.5 does not accept them, or as a misreading is refused; and why.
  static let exceptions: [String: String] = [
    "2JQS": "a block mapping with an empty key",
    "4MUZ/00": "a colon on the line after its key in a flow mapping",
    "4MUZ/01": "a colon on the line after its key in a flow mapping",
    "4MUZ/02": "a colon on the line after its key in a flow mapping",
    "58MP": "a plain scalar that starts with a colon in a flow mapping",
    "5MUD": "a colon on the line after its quoted key in a flow mapping",
    "5T43": "a plain scalar that starts with a colon in a flow mapping",
    "6M2F": "an explicit key that is an alias, its value empty",
    "7Z25": "a document without a marker after one with an end marker",
    "8XYN": "an anchor with a character outside of ASCII",
    "9SA2": "a quoted key over several lines in a flow mapping",
    "DK95/00": "a tab between indentation and content",
    "DK95/03": "a line with white space alone that has a tab",
    "DK95/04": "a line with white space alone that has a tab",
    "NKF9": "a block mapping with an empty key",
    "Q5MG": "a tab before a flow mapping",
    "R4YG": "a block scalar whose first line starts with a tab",
    "UKK6/00": "a sequence entry that is a colon",
    "W5VH": "an anchor with a colon",
    "X38W": "the mapping has a key twice, which is refused",
  ]

  static let valid = SharedData.suiteCases.filter { !SharedData.exists("yaml-test-suite/\($0)/error") }
  static let invalid = SharedData.suiteCases.filter { SharedData.exists("yaml-test-suite/\($0)/error") }

  @Test(arguments: valid.filter { exceptions[$0] == nil })
  func `the suite's valid streams have the values that its JSON has`(_ name: String) throws {
    let documents = try YAMLValue.documents(parsing: SharedData.read("yaml-test-suite/\(name)/in.yaml"))
    guard SharedData.exists("yaml-test-suite/\(name)/in.json") else { return }
    let expected = try JSONDocuments.parse(SharedData.read("yaml-test-suite/\(name)/in.json"))
    let found = try documents.map { try JSONDocuments.object(#require(JSONText.of($0).data(using: .utf8))) }
    #expect(found == expected)
  }

  @Test(arguments: invalid)
  func `the suite's invalid streams are refused`(_ name: String) throws {
    let data = try SharedData.read("yaml-test-suite/\(name)/in.yaml")
    let error = #expect(throws: YAMLError.self) { try YAMLValue.documents(parsing: data) }
    #expect(error.map { $0.line >= 1 && $0.column >= 1 } == true)
  }

  @Test(arguments: exceptions.keys.sorted())
  func `a listed exception is refused, not read as something else`(_ name: String) throws {
    let data = try SharedData.read("yaml-test-suite/\(name)/in.yaml")
    #expect(throws: YAMLError.self) { try YAMLValue.documents(parsing: data) }
  }

  @Test(arguments: valid.filter { exceptions[$0] == nil })
  func `the suite's values are written without loss`(_ name: String) throws {
    let documents = try YAMLValue.documents(parsing: SharedData.read("yaml-test-suite/\(name)/in.yaml"))
    for format in [YAMLFormat.block, .flow] {
      #expect(try YAMLValue.documents(parsing: YAMLValue.data(documents: documents, format)) == documents)
    }
  }

  @Test(arguments: SharedData.corpora)
  func `corpora are written without loss`(_ name: String) throws {
    let value = try YAMLValue(parsing: SharedData.read("yaml-corpora/" + name))
    for format in [YAMLFormat.block, .flow] {
      for schema in [YAMLSchema.core, .yaml11] {
        var options = YAMLParsingOptions()
        options.schema = schema
        #expect(try YAMLValue(parsing: value.data(format), options: options) == value)
      }
    }
  }
}

/// Several JSON texts, one after the other, as objects of Foundation.
private enum JSONDocuments {
  static func object(_ data: Data) throws -> NSObject {
    try #require(JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed]) as? NSObject)
  }

  /// The suite writes each over lines of its own: a text ends where it parses.
  static func parse(_ data: Data) throws -> [NSObject] {
    var objects: [NSObject] = []
    var pending = Data()
    for line in data.split(separator: UInt8(ascii: "\n")) {
      pending.append(contentsOf: line)
      pending.append(UInt8(ascii: "\n"))
      if let object = try? object(pending) {
        objects.append(object)
        pending.removeAll()
      }
    }
    try #require(pending.allSatisfy { $0 == 0x0A || $0 == 0x20 })
    return objects
  }
}
