import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewDownload

/// Which bytes of a download stay in the system's cache.
@Suite struct CacheReleaseTests {
  private let files = SlowFileSystem(MemoryFileSystem(), milliseconds: 0)

  private func write(_ count: Int, to file: PartialFile) throws {
    for _ in 0..<count {
      try Data(count: 100).withUnsafeBytes { try file.write($0) }
      try file.makeDurableIfDue()
    }
  }

  @Test func `the beginning of a file stays in the cache, and the rest leaves it once it is durable`() throws {
    let syncInterval = PartialFile.SyncInterval(bytes: 100, interval: .seconds(5), cachedBytes: 250)
    let file = try PartialFile(
      PartialPlace(beside: "/a"), on: DownloadDisk(files, clock: ManualClock()), syncInterval: syncInterval)
    try file.begin(PartialRecord(DownloadURL(URL(filePath: "/")), validator: nil, total: nil))
    try write(5, to: file)
    #expect(files.released == [250..<300, 300..<400, 400..<500])
    try file.cut(to: 320)
    try write(1, to: file)
    #expect(files.released.dropFirst(3) == [320..<420])
    try file.cut(to: 100)
    try write(3, to: file)
    #expect(files.released.dropFirst(4) == [250..<300, 300..<400])
    file.close(keeping: false)
  }

  @Test func `buffers are shared by the downloads on a disk, and gone with the last of them`() {
    let disk = DownloadDisk(files)
    for _ in 0..<1_000 { disk.beginWriting() }
    #expect(disk.portion == 8_192)
    let first = disk.buffers.take(capacity: disk.portion)
    disk.buffers.give(first)
    #expect(disk.buffers.take(capacity: disk.portion) === first)
    disk.buffers.give(first)
    // A buffer of another size is of no more use.
    #expect(disk.buffers.take(capacity: 16_384).capacity == 16_384)
    #expect(disk.buffers.take(capacity: disk.portion) !== first)
    disk.buffers.give(first)
    for _ in 0..<1_000 { disk.endWriting() }
    #expect(disk.buffers.take(capacity: 8_192) !== first)
  }
}
