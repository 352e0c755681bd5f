import CurlewCore
import CurlewStorage
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskWorkTests {
  private struct Seen: Sendable {
    var order: [Int] = []
    var threads: Set<UInt> = []
    var running = 0
    var most = 0
  }

  private final class Log: Sendable {
    let seen = Guarded(Seen())
  }

  @Test func `work that is handed over runs in order, also when nobody holds the instance any more`() async {
    let log = Log()
    let disk = DiskWork()
    for number in 0..<1_000 { disk.enqueue { log.seen.withLock { $0.order.append(number) } } }
    await disk.run { log.seen.withLock { $0.order.append(1_000) } }
    #expect(log.seen.withLock { $0.order } == Array(0...1_000))
    await withCheckedContinuation { continuation in DiskWork().enqueue { continuation.resume() } }
  }

  @Test func `work runs in order, one piece after another, on one thread of its own`() async throws {
    let disk = DiskWork()
    let log = Log()
    let work: @Sendable (Int) -> Void = { number in
      log.seen.withLock { seen in
        seen.running += 1
        seen.most = max(seen.most, seen.running)
        seen.threads.insert(UInt(pthread_self()))
        seen.order.append(number)
      }
      log.seen.withLock { $0.running -= 1 }
    }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for piece in 0..<300 { await disk.run { work(task * 1_000 + piece) } }
        }
      }
    }
    let result = log.seen.withLock { $0 }
    #expect(result.threads.count == 1)
    #expect(result.most == 1)
    #expect(result.order.count == 2_400)
    for task in 0..<8 {
      #expect(result.order.filter { $0 / 1_000 == task } == (0..<300).map { task * 1_000 + $0 })
    }
  }

  @Test func `an error of the work is thrown as it is`() async {
    let disk = DiskWork()
    await #expect(throws: FileSystemError(code: EIO, operation: "fdatasync", path: "a")) {
      try await disk.run { () throws(FileSystemError) in
        throw FileSystemError(code: EIO, operation: "fdatasync", path: "a")
      }
    }
  }

  @Test func `cancelling the task does not skip the work`() async {
    let disk = DiskWork()
    let log = Log()
    let task = Task { await disk.run { log.seen.withLock { $0.running += 1 } } }
    task.cancel()
    await task.value
    #expect(log.seen.withLock { $0.running } == 1)
  }

  @Test func `the thread ends with the last reference`() async throws {
    func diskThreads() throws -> Int {
      try LocalFileSystem().list("/proc/self/task").filter { id in
        // A thread may be gone by the time that its name is read.
        guard let file = try? LocalFileSystem().open("/proc/self/task/\(id)/comm", .read) else { return false }
        var name = [UInt8](repeating: 0, count: 16)
        let count = (try? name.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
        return String(decoding: name.prefix(count), as: UTF8.self).hasPrefix("curlew-disk")
      }.count
    }
    for _ in 0..<500 { await DiskWork().run {} }
    // Other tests may have a few of their own. Sleeps because nothing tells when the system has reaped a thread.
    for _ in 0..<30_000 where try diskThreads() > 20 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try diskThreads() <= 20)
  }
}
