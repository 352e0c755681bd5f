/// The content of a file in memory; holes use no memory.
///
/// It allows tests with offsets beyond 4 GiB.
struct SparseBytes: Sendable {
  static let pageSize: Int64 = 4096
  private var pages: [Int64: [UInt8]] = [:]
  private(set) var length: Int64 = 0

  /// The bytes of memory that it uses.
  var storedBytes: Int64 { Int64(pages.count) * Self.pageSize }

  /// Returns the bytes of memory that writing a range would add.
  func growth(writing count: Int, at offset: Int64) -> Int64 {
    guard count > 0 else { return 0 }
    let first = offset / Self.pageSize
    let last = (offset + Int64(count) - 1) / Self.pageSize
    return (first...last).reduce(0) { pages[$1] == nil ? $0 + Self.pageSize : $0 }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
    var rest = bytes
    var position = offset
    while !rest.isEmpty {
      let inside = Int(position % Self.pageSize)
      let part = rest.prefix(Int(Self.pageSize) - inside)
      var page = pages[position / Self.pageSize] ?? [UInt8](repeating: 0, count: Int(Self.pageSize))
      page.replaceSubrange(inside..<inside + part.count, with: part)
      pages[position / Self.pageSize] = page
      position += Int64(part.count)
      rest = rest.dropFirst(part.count)
    }
    length = max(length, position)
  }

  /// Returns the bytes from `offset` on; fewer than `count` only at the end.
  func read(_ count: Int, at offset: Int64) -> [UInt8] {
    let end = min(length, offset.addingReportingOverflow(Int64(count)).partialValue)
    guard offset < end else { return [] }
    var found: [UInt8] = []
    found.reserveCapacity(Int(end - offset))
    var position = offset
    while position < end {
      let inside = Int(position % Self.pageSize)
      let part = min(Int(Self.pageSize) - inside, Int(end - position))
      if let page = pages[position / Self.pageSize] {
        found += page[inside..<inside + part]
      } else {
        found += [UInt8](repeating: 0, count: part)
      }
      position += Int64(part)
    }
    return found
  }

  mutating func truncate(to newLength: Int64) {
    if newLength < length {
      pages = pages.filter { $0.key * Self.pageSize < newLength }
      let inside = Int(newLength % Self.pageSize)
      if inside > 0, let page = pages[newLength / Self.pageSize] {
        pages[newLength / Self.pageSize] = page[..<inside] + [UInt8](repeating: 0, count: page.count - inside)
      }
    }
    length = newLength
  }
}
