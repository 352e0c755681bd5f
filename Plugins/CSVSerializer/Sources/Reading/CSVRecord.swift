/// One record: a line, or several lines when a quoted field contains line breaks.
public struct CSVRecord: Sendable, Hashable {
  /// The fields, without their quotes; at least one.
  public let fields: [String]
  /// The number of the record, from 1; a header counts, blank lines do not.
  public let number: Int
  /// The place of each field.
  let positions: [CSVPosition]

  /// The line on which it begins, from 1.
  public var line: Int { positions.first?.line ?? 1 }

  /// Returns the place of a field; the last field's if there are fewer.
  public func position(of field: Int) -> CSVPosition {
    positions.indices.contains(field) ? positions[field] : positions.last ?? CSVPosition()
  }
}
