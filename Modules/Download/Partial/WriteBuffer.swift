import Glibc

/// Memory for bytes on their way to the disk.
// Safe because one of receiver and disk's thread has it at a time, which the state of its writer decides.
final class WriteBuffer: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 16) }

  deinit { memory.deallocate() }

  var isFull: Bool { count == memory.count }
  var capacity: Int { memory.count }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Takes as many bytes as fit and returns their number.
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
