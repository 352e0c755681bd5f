public import CurlewCore
import CurlewStorage
import FoundationEssentials
import Synchronization

/// The file system of downloads, and the thread on which all calls to it run.
///
/// Many downloads can share a disk. Each download that writes buffers up to twice the size of one write. That size shrinks as
/// more downloads write: it is 256 kB for up to 32 downloads, and 8 kB for a thousand. A download buffers more only if its
/// transport delivers more bytes at once.
public final class DownloadDisk: Sendable {
  /// The file system.
  public let files: any FileSystem
  let clock: any NetworkClock
  let buffers = WriteBufferPool()
  private let work = DiskWork()
  private let boot: @Sendable () -> String?
  private let writers = Atomic<Int>(0)
  private let restsUntil = Guarded<ContinuousClock.Instant?>(nil)

  private static let portions = 8_192...262_144
  private static let budget = 8 << 20

  /// Creates a disk; its thread starts with the first download.
  ///
  /// - Parameters:
  ///   - files: The file system.
  ///   - clock: The clock that determines when bytes are made durable.
  ///   - boot: Returns an identifier of the machine's current boot, which changes with each restart. Nil if the system has
  ///     none; then only durable bytes are trusted after the process has ended.
  public init(
    _ files: any FileSystem = LocalFileSystem(), clock: any NetworkClock = SystemClock(),
    boot: @escaping @Sendable () -> String? = DownloadDisk.systemBoot
  ) {
    self.files = files
    self.clock = clock
    self.boot = boot
  }

  /// Returns the kernel's random identifier of this boot; nil if it cannot be read.
  @Sendable public static func systemBoot() -> String? {
    guard let file = try? LocalFileSystem().open("/proc/sys/kernel/random/boot_id", .read) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self).split(whereSeparator: \.isWhitespace).first
    return text.map { String($0) }
  }

  /// The identifier of the machine's current boot; nil if unknown.
  var bootIdentifier: String? { boot() }

  /// Runs a function on the thread and returns its result.
  func run<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await work.run { () throws(any Error) in try body() }
  }

  /// Runs a function on the thread, without waiting for it.
  func enqueue(_ body: @escaping @Sendable () -> Void) { work.enqueue(body) }

  /// The number of bytes to write at once, a power of two.
  var portion: Int {
    let share = Self.budget / max(1, writers.load(ordering: .relaxed))
    let power = 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
    return min(max(power, Self.portions.lowerBound), Self.portions.upperBound)
  }

  /// Runs a synchronization, after which periodic ones are delayed.
  ///
  /// The delay is three times as long as the synchronization took. Without it, a thousand downloads on a slow disk would spend
  /// all their time on synchronizing. Synchronizations that the number of received bytes requires are not delayed.
  ///
  /// - Parameter longest: The longest delay.
  func synchronizing<Failure: Error>(
    restingUpTo longest: Duration, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    let start = clock.now
    try body()
    let end = clock.now
    let rest = min(longest, start.duration(to: end) * 3)
    restsUntil.withLock { until in until = max(until ?? end, end + rest) }
  }

  /// Returns whether a periodic synchronization may run now.
  func maySynchronize(at now: ContinuousClock.Instant) -> Bool { restsUntil.withLock { $0.map { $0 <= now } ?? true } }

  func beginWriting() { writers.add(1, ordering: .relaxed) }
  func endWriting() {
    if writers.subtract(1, ordering: .relaxed).newValue == 0 { buffers.removeAll() }
  }
}

/// The empty buffers of all downloads on a disk.
///
/// A thousand downloads that each keep one would need more memory than those that have bytes to write.
final class WriteBufferPool: Sendable {
  private let buffers = Guarded<[WriteBuffer]>([])

  /// Returns an empty buffer.
  func take(capacity: Int) -> WriteBuffer {
    let kept = buffers.withLock { buffers in
      // The number of writers has changed when the capacity is another one.
      if buffers.last?.capacity != capacity { buffers = [] }
      return buffers.popLast()
    }
    return kept ?? WriteBuffer(capacity: capacity)
  }

  /// Takes back a buffer whose bytes were written.
  func give(_ buffer: WriteBuffer) {
    buffer.clear()
    buffers.withLock { $0.append(buffer) }
  }

  func removeAll() { buffers.withLock { $0 = [] } }
}

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
