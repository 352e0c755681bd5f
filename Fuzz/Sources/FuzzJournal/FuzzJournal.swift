import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import FuzzKit

/// Fuzzes a journal's file: any bytes, and a valid journal with damage.
@main enum FuzzJournal: FuzzTarget {
  static func read(_ bytes: Data) {
    _ = open(bytes, "raw")
    damage(bytes)
  }

  /// Writes a journal, damages it, and checks that a prefix of its records remains.
  private static func damage(_ bytes: Data) {
    var rest = bytes[...]
    let count = Int(rest.popFirst() ?? 0) % 8
    var records: [Data] = []
    for _ in 0..<count {
      let length = Int(rest.popFirst() ?? 0)
      records.append(Data(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    let files = MemoryFileSystem()
    guard let journal = try? Journal("/j", in: files, replay: { _ in }) else {
      return demand(false, "no journal is made")
    }
    for record in records { demand((try? journal.append(record)) != nil, "a record is refused") }
    journal.close()
    var file = Data(files.contents(of: "/j") ?? [])
    var isHeaderWhole = true
    while let high = rest.popFirst(), let low = rest.popFirst(), let change = rest.popFirst() {
      let offset = (Int(high) << 8 | Int(low)) % file.count
      if change == 0 {
        file = Data(file.prefix(max(24, offset)))
      } else {
        file[offset] ^= change
        isHeaderWhole = isHeaderWhole && offset >= 24
      }
    }
    guard let found = open(file, "damaged") else {
      return demand(!isHeaderWhole, "a whole header is refused")
    }
    // If two changes cancel each other, a record is intact, so any prefix is allowed, but nothing else.
    demand(found.elementsEqual(records.prefix(found.count)), "a record was changed")
  }

  /// Opens bytes as a journal, adds a record and opens it again; nil if rejected.
  private static func open(_ bytes: Data, _ what: String) -> [Data]? {
    let files = MemoryFileSystem()
    guard let file = try? files.open("/j", [.write, .create]) else { return nil }
    bytes.withUnsafeBytes { bytes in _ = try? file.write(bytes, at: 0) }
    _ = try? file.close()
    var records: [Data] = []
    do {
      let journal = try Journal("/j", in: files) { records.append($0) }
      demand((try? journal.append(Data("next".utf8))) != nil, "\(what): nothing can be appended")
      journal.close()
    } catch {
      demand(error.kind != .file, "\(what): \(error)")
      demand(files.contents(of: "/j") == Array(bytes), "\(what): a file that was refused is changed")
      return nil
    }
    var again: [Data] = []
    _ = try? Journal("/j", in: files) { again.append($0) }
    demand(again == records + [Data("next".utf8)], "\(what): other records the second time")
    return records
  }
}
