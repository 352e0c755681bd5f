public import CurlewSerialization
public import FoundationEssentials

/// Encodes arrays of `Encodable` values as tables.
///
/// Each element becomes a row: a keyed value under the names of its keys, or an array as it is, so that the first array is the header
/// where ``CSVOptions/hasHeader`` is true and no columns are stated. A single keyed value is a table of one row. The columns are the
/// names in the order in which they first occur, unless ``columns`` states them.
public struct CSVEncoder: Sendable {
  /// The syntax of the text.
  public var options: CSVOptions
  /// The columns, in order; nil takes them from the rows.
  ///
  /// A row that lacks one has an empty field there, and a value under another name is an error.
  public var columns: [String]?

  /// Creates an encoder.
  public init(options: CSVOptions = CSVOptions(), columns: [String]? = nil) {
    self.options = options
    self.columns = columns
  }

  /// Encodes a value as text in UTF-8.
  ///
  /// - Throws: `ParametersError` of kind `unrepresentable` for a value that is not a table, with the path to it; any error of the
  ///   value itself.
  public func encode(_ value: some Encodable) throws -> Data { try data(Parameters(encoding: value)) }

  /// Writes parameters as text in UTF-8.
  ///
  /// - Throws: `ParametersError` of kind `unrepresentable` for parameters that are not a table, with the path to them.
  public func data(_ parameters: Parameters) throws(ParametersError) -> Data {
    try table(parameters).data(options: options)
  }

  private func table(_ parameters: Parameters) throws(ParametersError) -> CSVTable {
    switch parameters {
    case .array(let rows): return try table(of: rows)
    case .set(let rows):
      var table = try table(of: rows)
      table.rows.sort { $0.lexicographicallyPrecedes($1) }
      return table
    case .object: return try table(of: [parameters])
    default: throw ParametersError(.unrepresentable)
    }
  }

  private func table(of rows: [Parameters]) throws(ParametersError) -> CSVTable {
    var builder = TableBuilder(columns: columns, allowsUnequalRows: options.allowsUnequalRecords)
    for row in rows { try builder.append(row) }
    builder.finish()
    return options.hasHeader ? builder.table : CSVTable(rows: builder.table.rows)
  }
}
