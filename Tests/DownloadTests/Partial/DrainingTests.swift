import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// The way of the bytes from a transport to the disk.
@Suite(.timeLimit(.minutes(10))) struct DrainingTests {
  @Test func `a disk whose every call takes half a second does not hold up the transport's thread`() async throws {
    let resource = SeededResource(length: 4 << 20, seed: 2)
    let origin = try await ScriptedOrigin.start { resource.reply(to: $0) }
    let calls = Guarded<SlowFileSystem?>(nil)
    let site = try Site { memory in
      let files = SlowFileSystem(memory, milliseconds: 500)
      calls.withLock { $0 = files }
      return files
    }
    try await Carrier.curl.withLoader { loader in
      let download = site.download(loader, origin.url("/f"))
      _ = try await download.run()
      let longest = download.metrics.map(\.longestCallback).max() ?? .seconds(1)
      #expect(longest < .milliseconds(500), "no callback has waited for one call of the disk")
      #expect(longest > .zero)
    }
    #expect(site.contents() == resource.bytes(count: 4 << 20))
    #expect(calls.withLock { $0?.callCount ?? 0 } > 20)
    await origin.stop()
  }

  @Test(arguments: Carrier.allCases) func `a slow disk never works on a transport's thread`(
    carrier: Carrier
  ) async throws {
    let resource = SeededResource(length: 4 << 20, seed: 2)
    let origin = try await ScriptedOrigin.start { resource.reply(to: $0) }
    let site = try Site { SlowFileSystem($0, milliseconds: 10) }
    try await carrier.withLoader { loader in _ = try await site.download(loader, origin.url("/f")).run() }
    #expect(site.contents() == resource.bytes(count: 4 << 20))
    await origin.stop()
  }

  private func writer(_ site: Site, _ path: String, _ sink: PartialSink) async throws -> PartialWriter {
    let disk = site.disk
    let file = try await disk.run {
      let file = try PartialFile(PartialPlace(beside: path), on: disk, syncInterval: Site.syncInterval)
      try file.begin(PartialRecord(DownloadURL(TwoVersions.url)))
      return file
    }
    let head = ResponseHead(url: TwoVersions.url, status: .ok)
    return PartialWriter(file, ResumePlan(ResumePoint(), asked: nil, head), head, at: 0, part: nil, for: sink)
  }

  @Test func `downloads that share a disk write in turns, however much one of them has`() async throws {
    let recorded = Guarded<FailingFileSystem?>(nil)
    let site = try Site { memory in
      let files = FailingFileSystem(over: memory)
      recorded.withLock { $0 = files }
      return files
    }
    let sinks = ["/d/long", "/d/short"].map { PartialSink(.file($0), on: site.disk) }
    let long = try await writer(site, "/d/long", sinks[0])
    let short = try await writer(site, "/d/short", sinks[1])
    // The disk is busy until both have handed over what they have.
    let isHeld = Guarded(true)
    site.disk.enqueue { while isHeld.withLock({ $0 }) {} }
    let bytes = [UInt8](repeating: 7, count: site.disk.portion)
    try bytes.withUnsafeBytes { bytes in
      for _ in 0..<4 { _ = try long.receive(bytes) }
      _ = try short.receive(bytes)
    }
    isHeld.withLock { $0 = false }
    try await long.flush()
    try await short.flush()
    let writes = recorded.withLock { $0 }?.calls.filter { $0.operation == .write && $0.path.hasSuffix("-part") }
    let expected = ["/d/.long", "/d/.short", "/d/.long", "/d/.long", "/d/.long"].map { $0 + ".curlew-part" }
    #expect(writes?.map(\.path) == expected)
    try await site.disk.run { for file in [long.file, short.file] { file.close(keeping: false) } }
  }

  @Test func `bytes are made durable every so many bytes, or after some time, and no more often`() async throws {
    let files = FailingFileSystem(over: MemoryFileSystem())
    try files.createDirectory("/d")
    let clock = ManualClock()
    let disk = DownloadDisk(files, clock: clock, boot: { "a" })
    try await disk.run {
      let file = try PartialFile(
        PartialPlace(beside: Site.path), on: disk,
        syncInterval: PartialFile.SyncInterval(bytes: 1_000, interval: .seconds(5)))
      try file.begin(PartialRecord(DownloadURL(TwoVersions.url), validator: .entityTag("v1")))
      // All that is not of the data is of the journal, which keeps the path under which it was created.
      func synchronizations(ofData isData: Bool = true) -> Int {
        files.calls.count { $0.operation == .synchronize && $0.path.hasSuffix("-part") == isData }
      }
      func write(_ count: Int) throws {
        try [UInt8](repeating: 1, count: count).withUnsafeBytes { try file.write($0) }
        try file.makeDurableIfDue()
      }
      let journal = synchronizations(ofData: false)
      for _ in 0..<9 { try write(100) }
      #expect(synchronizations() == 0)
      try write(100)
      #expect(synchronizations() == 1)
      try write(100)
      clock.advance(by: .milliseconds(4_999))
      try write(100)
      #expect(synchronizations() == 1)
      clock.advance(by: .milliseconds(1))
      try write(100)
      #expect(synchronizations() == 2)
      clock.advance(by: .seconds(60))
      try file.makeDurableIfDue()
      #expect(synchronizations() == 2, "nothing came")
      for _ in 0..<10 { try write(1_000) }
      #expect(synchronizations() == 12)
      // The record is made durable at most once in five seconds: at the first, and after the time has passed.
      #expect(synchronizations(ofData: false) - journal == 3)
      file.close(keeping: false)
    }
  }

  @Test func `space for the whole file is reserved before its first byte is written`() async throws {
    let recorded = Guarded<FailingFileSystem?>(nil)
    let site = try Site { memory in
      let files = FailingFileSystem(over: memory)
      recorded.withLock { $0 = files }
      return files
    }
    let stub = StubTransport(StubAnswer(headerFields: [.contentLength: "6"], body: [.bytes(Data("hello!".utf8))]))
    _ = try await site.download(Loader(stub), TwoVersions.url).run()
    let calls = try #require(recorded.withLock { $0 }).calls.filter { $0.path.hasSuffix("-part") }.map(\.operation)
    let (reserved, written) = (calls.firstIndex(of: .preallocate), calls.firstIndex(of: .write))
    #expect(try #require(reserved) < #require(written))
    #expect(calls.count { $0 == .preallocate } == 1)
  }

  @Test func `the body flows while the disk is still busy with others`() async throws {
    let site = try Site()
    let disk = site.disk
    let isHeld = Guarded(true)
    // The last that runs before the file is made ready.
    let target = DownloadTarget.chosen(partialIn: "/d") { _ in
      disk.enqueue { while isHeld.withLock({ $0 }) {} }
      return Site.path
    }
    let stub = StubTransport(
      StubAnswer(headerFields: [.contentLength: "6"], body: [.bytes(Data("hel".utf8)), .bytes(Data("lo!".utf8))]))
    var configuration = site.configuration(TwoVersions.url, to: target)
    // Whether a name is taken is asked of the disk before the body is fetched.
    configuration.file.collision = .replace
    let download = Downloader(Loader(stub), configuration, on: disk)
    download.start()
    await wait(while: download.downloadProgress.current.completed < 6)
    isHeld.withLock { $0 = false }
    _ = try await download.run()
    #expect(site.contents() == [UInt8]("hello!".utf8))
  }

  @Test func `a disk that is slow to synchronize does not do so for every file each five seconds`() async throws {
    let clock = ManualClock()
    let files = FailingFileSystem(over: MemoryFileSystem())
    try files.createDirectory("/d")
    let disk = DownloadDisk(files, clock: clock, boot: { "a" })
    try await disk.run {
      let syncInterval = PartialFile.SyncInterval(bytes: 1_000, interval: .seconds(5))
      let parts = try ["/d/a", "/d/b"].map {
        try PartialFile(PartialPlace(beside: $0), on: disk, syncInterval: syncInterval)
      }
      for part in parts {
        try part.begin(PartialRecord(DownloadURL(TwoVersions.url)))
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try part.write($0) }
      }
      func synchronizations(_ name: String) -> Int {
        files.calls.count { $0.operation == .synchronize && $0.path == "/d/.\(name).curlew-part" }
      }
      clock.advance(by: .seconds(5))
      // As if the synchronization of the first took a second.
      try disk.synchronizing(restingUpTo: syncInterval.interval) {
        try parts[0].makeDurable()
        clock.advance(by: .seconds(1))
      }
      try parts[1].makeDurableIfDue()
      #expect(synchronizations("a") == 1 && synchronizations("b") == 0)
      clock.advance(by: .milliseconds(2_999))
      try parts[1].makeDurableIfDue()
      #expect(synchronizations("b") == 0)
      clock.advance(by: .milliseconds(1))
      try parts[1].makeDurableIfDue()
      #expect(synchronizations("b") == 1)
      // Never longer than the interval, whatever the clock says, and never for as many bytes as are due by themselves.
      disk.synchronizing(restingUpTo: syncInterval.interval) { clock.advance(by: .seconds(1_000)) }
      try [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { try parts[0].write($0) }
      try parts[0].makeDurableIfDue()
      #expect(synchronizations("a") == 2)
      try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try parts[1].write($0) }
      try parts[1].makeDurableIfDue()
      #expect(synchronizations("b") == 1)
      clock.advance(by: .seconds(5))
      try parts[1].makeDurableIfDue()
      #expect(synchronizations("b") == 2)
      for part in parts { part.close(keeping: false) }
    }
  }

  @Test func `offsets beyond 4 GiB are right`() async throws {
    let start: Int64 = (5 << 30) - 700
    let resource = SeededResource(length: 5 << 30, seed: 7)
    let origin = try await ScriptedOrigin.start { resource.reply(to: $0) }
    let site = try Site(capacity: 6 << 30)
    let (disk, url) = (site.disk, origin.url("/f"))
    try await disk.run {
      let file = try PartialFile(PartialPlace(beside: Site.path), on: disk, syncInterval: Site.syncInterval)
      let tag = EntityValidator.entityTag("\(resource.length)-7")
      try file.begin(PartialRecord(DownloadURL(url), validator: tag, total: resource.length))
      try file.file?.truncate(to: start)
      file.close(keeping: true)
    }
    try await Carrier.curl.withLoader { loader in
      let result = try await site.download(loader, url).run()
      #expect(result.resumedFrom == start && result.length == 5 << 30)
    }
    let file = try site.memory.open(Site.path, .read)
    var tail = [UInt8](repeating: 0, count: 700)
    let count = try tail.withUnsafeMutableBytes { try file.read(into: $0, at: start) }
    #expect(count == 700 && tail == resource.bytes(from: start, count: 700))
    #expect(origin.requests.first?["Range"] == "bytes=\(start)-")
    await origin.stop()
  }
}
