import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// Collects rows of parameters into a table.
struct TableBuilder {
  private(set) var table: CSVTable
  private let mayAddColumns: Bool
  private let allowsUnequalRows: Bool
  private var places: [String: Int]

  /// - Parameter columns: The columns; nil collects them from the rows.
  init(columns: [String]?, allowsUnequalRows: Bool) {
    table = CSVTable(columns: columns ?? [])
    mayAddColumns = columns == nil
    self.allowsUnequalRows = allowsUnequalRows
    places = Dictionary(table.columns.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  mutating func append(_ row: Parameters) throws(ParametersError) {
    let number = String(table.rows.count)
    switch row {
    case .array(let values): try append(values, at: number)
    case .object(let members): try append(members, at: number)
    default: throw ParametersError(.unrepresentable, at: [number])
    }
  }

  /// Fills rows that lack the columns of later rows.
  mutating func finish() {
    let width = table.columns.count
    for index in table.rows.indices where table.rows[index].count < width {
      table.rows[index] += Array(repeating: "", count: width - table.rows[index].count)
    }
  }

  private mutating func append(_ values: [Parameters], at number: String) throws(ParametersError) {
    let width = mayAddColumns ? table.rows.first?.count : table.columns.count
    let isEqual = width.map { $0 == values.count } ?? true
    // A row of names and one of positions have nothing in common.
    guard !values.isEmpty, isEqual || allowsUnequalRows, table.columns.isEmpty || !mayAddColumns else {
      throw ParametersError(.unrepresentable, at: [number])
    }
    var fields: [String] = []
    for (place, value) in values.enumerated() { fields.append(try Self.text(value, at: [number, String(place)])) }
    table.rows.append(fields)
  }

  private mutating func append(_ members: [Parameters.Member], at number: String) throws(ParametersError) {
    var fields = Array(repeating: "", count: table.columns.count)
    for member in members {
      let field = try Self.text(member.value, at: [number, member.name])
      if let place = places[member.name] {
        fields[place] = field
        continue
      }
      guard mayAddColumns, !table.columns.isEmpty || table.rows.isEmpty else {
        throw ParametersError(.unrepresentable, at: [number, member.name])
      }
      places[member.name] = table.columns.count
      table.columns.append(member.name)
      fields.append(field)
    }
    guard !fields.isEmpty else { throw ParametersError(.unrepresentable, at: [number]) }
    table.rows.append(fields)
  }

  private static func text(_ value: Parameters, at path: [String]) throws(ParametersError) -> String {
    switch value {
    case .null: return ""
    case .bool(let value): return String(value)
    case .integer(let value): return String(value)
    case .double(let value): return String(value)
    case .string(let value): return value
    case .data(let value): return value.base64EncodedString()
    case .date(let value):
      guard let text = InternetDate.text(value, keepsFraction: true) else {
        throw ParametersError(.unrepresentable, at: path)
      }
      return text
    case .array, .set, .object: throw ParametersError(.unrepresentable, at: path)
    }
  }
}
