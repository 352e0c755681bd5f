import CurlewCSV
import FoundationEssentials
import FuzzKit

/// Fuzzes CSV tables.
@main enum FuzzCSV: FuzzTarget {
  static func read(_ bytes: Data) {
    for hasHeader in [true, false] {
      var options = CSVOptions()
      options.hasHeader = hasHeader
      options.allowsUnequalRecords = bytes.count.isMultiple(of: 2)
      do throws(CSVError) {
        let table = try CSVTable(parsing: bytes, options: options)
        let again = try? CSVTable(parsing: table.data(options: options), options: options)
        demand(again == table, "a table does not read back")
        _ = try? CSVDecoder(options: options).decode([[String: String]].self, from: bytes)
        _ = try? CSVDecoder(options: options).decode([[String]].self, from: bytes)
      } catch {
        demand(error.line > 0 && error.column > 0, "an error has no line")
      }
    }
  }
}
