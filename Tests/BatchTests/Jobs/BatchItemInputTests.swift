import CurlewBatch
import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

/// The inputs of items, which stores compare byte for byte.
@Suite struct BatchItemInputTests {
  /// The names of each object in a JSON text.
  private func names(in text: String) -> [[String]] {
    var (open, closed): ([[String]], [[String]]) = ([], [])
    for token in text.matches(of: /[{}]|"((?:[^"\\]|\\.)*)"(:)?/) {
      switch token.0.first {
      case "{": open.append([])
      case "}": closed.append(open.removeLast())
      default: if token.2 != nil, let name = token.1 { open[open.count - 1].append(String(name)) }
      }
    }
    return closed
  }

  /// Otherwise a program that adds its items again, after a kill, would be told that they are others.
  @Test func `an item has the same input in each process, because its names are sorted`() throws {
    var request = try Request(.get, "http://h/f")
    request.headerFields = [.accept: "a", .acceptLanguage: "b"]
    for item in [try BatchItem.download("a", request, to: "/d/f"), try BatchItem.request("b", request)] {
      let objects = names(in: String(decoding: item.input, as: UTF8.self))
      #expect(objects.contains { $0.count > 1 })
      for names in objects { #expect(names == names.sorted()) }
    }
  }
}
