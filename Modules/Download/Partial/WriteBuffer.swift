/// Memory for bytes that are waiting to be written.
// Safe because either the receiver or the disk's thread uses it at a time; the state of its writer decides which.
final class WriteBuffer: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 16) }

  deinit { memory.deallocate() }

  var isFull: Bool { count == memory.count }
  var capacity: Int { memory.count }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Copies as many bytes as fit and returns their number.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = min(bytes.count, memory.count - count)
    guard taken > 0 else { return 0 }
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + taken)])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    count += taken
    return taken
  }

  func clear() { count = 0 }
}
