import CurlewCore
import FoundationEssentials

/// Finds a name that a list has twice, with the line where it was first.
///
/// A list may have more names than fit into memory, so the names' hashes are in a hash table in a temporary file, which is
/// removed as soon as it is open. A hash has 128 bits and a random seed: two names with the same hash do not occur.
struct SeenNames {
  /// One place of the table: two halves of a hash and a line; line 0 marks a free place.
  private struct Slot {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var line: UInt64 = 0
  }

  private static let slotBytes = MemoryLayout<Slot>.stride

  private let files: any FileSystem
  private let directory: String
  private var file: any OpenFile
  private var capacity: UInt64
  private var count: UInt64 = 0

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - directory: Where the temporary file is made.
  ///   - capacity: The number of places at first, a power of two.
  init(
    in directory: String, capacity: UInt64 = 1 << 14, files: any FileSystem = LocalFileSystem()
  ) throws(FileSystemError) {
    self.files = files
    self.directory = directory
    self.capacity = capacity
    file = try Self.makeFile(in: directory, capacity, files)
  }

  /// Adds a name.
  ///
  /// - Returns: The line that added the same name before; nil when the name is new.
  mutating func insert(_ name: String, line: Int) throws(FileSystemError) -> Int? {
    if count >= capacity / 2 { try grow() }
    var slot = Slot(high: Self.hash(name, 0), low: Self.hash(name, 1), line: UInt64(line))
    guard let first = try place(&slot, in: file, capacity) else {
      count += 1
      return nil
    }
    return Int(first)
  }

  private static func hash(_ name: String, _ half: UInt8) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(half)
    // By bytes: strings that look alike are different files.
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Writes a slot into the first free place behind its hash, unless an equal one is in the way.
  private func place(
    _ slot: inout Slot, in file: any OpenFile, _ capacity: UInt64
  ) throws(FileSystemError) -> UInt64? {
    var index = slot.high & (capacity - 1)
    while true {
      var found = Slot()
      try Self.read(&found, at: index, in: file)
      if found.line == 0 {
        try Self.write(&slot, at: index, in: file)
        return nil
      }
      if found.high == slot.high, found.low == slot.low { return found.line }
      index = (index + 1) & (capacity - 1)
    }
  }

  private mutating func grow() throws(FileSystemError) {
    let larger = try Self.makeFile(in: directory, capacity * 2, files)
    for index in 0..<capacity {
      var slot = Slot()
      try Self.read(&slot, at: index, in: file)
      if slot.line > 0 { _ = try place(&slot, in: larger, capacity * 2) }
    }
    file = larger
    capacity *= 2
  }

  private static func makeFile(
    in directory: String, _ capacity: UInt64, _ files: any FileSystem
  ) throws(FileSystemError) -> any OpenFile {
    let path = directory + "/.curlew-names-\(UInt64.random(in: 0 ... .max))"
    let file = try files.open(path, [.read, .write, .create, .exclusive, .noFollow])
    try files.remove(path)
    try file.truncate(to: Int64(capacity) * Int64(slotBytes))
    return file
  }

  private static func read(_ slot: inout Slot, at index: UInt64, in file: any OpenFile) throws(FileSystemError) {
    // Safe because every bit pattern is a slot.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: slotBytes, alignment: 8)
    defer { buffer.deallocate() }
    _ = try file.read(into: buffer, at: Int64(index) * Int64(slotBytes))
    slot = buffer.load(as: Slot.self)
  }

  private static func write(_ slot: inout Slot, at index: UInt64, in file: any OpenFile) throws(FileSystemError) {
    var failure: FileSystemError?
    withUnsafeBytes(of: &slot) { bytes in
      do throws(FileSystemError) {
        try file.write(bytes, at: Int64(index) * Int64(slotBytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
