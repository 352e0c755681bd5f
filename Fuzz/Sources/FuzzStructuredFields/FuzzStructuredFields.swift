import CurlewCore
import FoundationEssentials
import FuzzKit

/// Fuzzes structured fields: items, lists and dictionaries.
@main enum FuzzStructuredFields: FuzzTarget {
  static func read(_ bytes: Data) {
    check(StructuredField.Item.self, bytes)
    check(StructuredField.List.self, bytes)
    check(StructuredField.Dictionary.self, bytes)
  }

  private static func check<Value: StructuredField.FieldValue>(_ type: Value.Type, _ bytes: Data) {
    do throws(StructuredField.ParseError) {
      let value = try Value(parsing: Array(bytes), limits: StructuredField.Limits())
      let text = try? value.serialized()
      demand(text != nil, "a value that was parsed is not written")
      guard let text, !text.isEmpty else { return }
      let again = try? Value(parsing: text)
      demand(again == value, "\(text) does not read back")
      demand((try? again?.serialized()) == text, "\(text) is not canonical")
    } catch {
      demand((0...bytes.count).contains(error.position), "an error lies outside")
    }
  }
}
