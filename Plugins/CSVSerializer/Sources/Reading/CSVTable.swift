public import FoundationEssentials

/// A whole table: the names of its columns and its rows, as text.
///
/// ```swift
/// let table = try CSVTable(parsing: data)
/// let names = table.values(of: "name")
/// ```
public struct CSVTable: Sendable, Hashable {
  /// The names of the columns; empty when the text has no header.
  public var columns: [String]
  /// The rows without the header.
  public var rows: [[String]]

  /// Creates a table.
  public init(columns: [String] = [], rows: [[String]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// Reads a text in UTF-8; an empty text is an empty table.
  ///
  /// - Throws: ``CSVError`` with the line and the column.
  public init(parsing bytes: Data, options: CSVOptions = CSVOptions()) throws(CSVError) {
    self.init()
    var records = CSVRows(bytes, options)
    if options.hasHeader { columns = try records.next()?.fields ?? [] }
    while let record = try records.next() { rows.append(record.fields) }
  }

  /// Returns the fields of a column, one for each row that has it; nil if there is no such column.
  public func values(of column: String) -> [String]? {
    guard let index = columns.firstIndex(of: column) else { return nil }
    return rows.compactMap { $0.indices.contains(index) ? $0[index] : nil }
  }

  /// Returns the table as UTF-8 text; the first line names the columns, if there are any.
  public func data(options: CSVOptions = CSVOptions()) -> Data {
    let writer = CSVWriter(options: options)
    return ((columns.isEmpty ? [] : [columns]) + rows).reduce(into: Data()) { $0.append(writer.record($1)) }
  }
}

/// The records of a text in memory, within the limit for a whole table.
struct CSVRows {
  private var parser: CSVParser
  private var fieldsLeft: Int

  init(_ bytes: Data, _ options: CSVOptions) {
    parser = CSVParser(options: options)
    fieldsLeft = options.maximumTableFields
    parser.append(bytes)
    parser.finish()
  }

  mutating func next() throws(CSVError) -> CSVRecord? {
    guard let record = try parser.next() else { return nil }
    fieldsLeft -= record.fields.count
    guard fieldsLeft >= 0 else { throw CSVError(.tableTooLarge, at: record.position(of: 0)) }
    return record
  }
}
