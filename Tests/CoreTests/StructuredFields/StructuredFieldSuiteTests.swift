import CurlewCore
import FoundationEssentials
import Testing

@Suite(.enabled(if: JudgeData.exists("structured-fields"), "shared/data/structured-fields is not there"))
struct StructuredFieldSuiteTests {
  @Test func `every case of the working group's suite is read and written as it says`() throws {
    var cases = 0
    for file in try JudgeData.names(in: "structured-fields") where file.hasSuffix(".json") {
      let vectors = try JSONDecoder().decode(
        [StructuredFieldVector].self, from: Data(contentsOf: JudgeData.url("structured-fields/\(file)")))
      for vector in vectors {
        cases += 1
        let label = Comment(rawValue: "\(file): \(vector.name)")
        switch vector.headerType {
        case "item": check(vector, as: StructuredField.Item.self, label) { JudgeValue($0) }
        case "list": check(vector, as: StructuredField.List.self, label) { JudgeValue($0) }
        default: check(vector, as: StructuredField.Dictionary.self, label) { JudgeValue($0) }
        }
      }
    }
    #expect(cases >= 235)
  }

  /// Cases that may fail are read like those that may not: Curlew takes all of them.
  private func check<Value: StructuredField.FieldValue>(
    _ vector: StructuredFieldVector, as type: Value.Type, _ label: Comment, node: (Value) -> JudgeValue
  ) {
    if vector.mustFail == true {
      #expect(throws: StructuredField.ParseError.self, label) { try Value(parsingLines: vector.raw) }
      return
    }
    do {
      let value = try Value(parsingLines: vector.raw)
      #expect(node(value) == vector.expected, label)
      let canonical = (vector.canonical ?? vector.raw).joined(separator: ", ")
      #expect(try value.serialized() == canonical, label)
      #expect(try Value(parsing: canonical) == value, label)
    } catch {
      Issue.record(error, label)
    }
  }
}
