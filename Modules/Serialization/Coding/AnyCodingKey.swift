/// A coding key with any name, or with the index of an element.
package struct AnyCodingKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  package init(_ index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  package init(stringValue: String) { self.init(stringValue) }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  package static let `super` = AnyCodingKey("super")
}
