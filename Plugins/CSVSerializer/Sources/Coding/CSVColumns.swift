import CurlewCore

/// The names of the columns, and the position of each.
struct CSVColumns: Sendable {
  let names: [String]
  private let places: [String: Int]

  /// Reads a header.
  ///
  /// - Throws: ``CSVError`` when two columns have the same name, because fields are found by name.
  init(_ header: CSVRecord) throws(CSVError) {
    var places: [String: Int] = [:]
    for (index, name) in header.fields.enumerated() {
      guard !name.isSlowToCompare else { throw CSVError(.tooManyMarks, at: header.position(of: index)) }
      guard places.updateValue(index, forKey: name) == nil else {
        throw CSVError(.duplicateColumn, at: header.position(of: index))
      }
    }
    names = header.fields
    self.places = places
  }

  func place(of name: String) -> Int? { places[name] }
}

/// A coding key with any name, or with an index.
struct CSVKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }
}
