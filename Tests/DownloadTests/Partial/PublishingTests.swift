import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// The last steps of a download: what its file is, who may read it, and what is left beside it.
@Suite(.timeLimit(.minutes(10))) struct PublishingTests {
  private static let lost = StubAnswer.Step.failure(
    NetworkError(.connectionLost, stage: .receivingBody, message: "Lost."))

  /// The first bytes of a file of unknown length, and then the rest of what turns out to be a shorter one.
  private static func shrinking(_ first: Int, then count: Int) -> StubTransport {
    var beginning = StubAnswer(headerFields: [.eTag: "\"v1\""], body: [.bytes(Data(count: first)), lost])
    beginning.announcesLength = false
    let answers = Guarded([beginning])
    return StubTransport { asked in
      if let first = answers.withLock({ $0.popLast() }) { return first }
      let start = asked.request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      return StubAnswer(
        .partialContent,
        headerFields: [.eTag: "\"v1\"", .contentRange: "bytes \(start)-\(start + count - 1)/\(start + count)"],
        body: [.bytes(Data(count: count))])
    }
  }

  /// A site whose file system can be made to fail.
  private func failingSite() throws -> (site: Site, files: FailingFileSystem) {
    let files = Guarded<FailingFileSystem?>(nil)
    let site = try Site { memory in
      let failing = FailingFileSystem(over: memory)
      files.withLock { $0 = failing }
      return failing
    }
    return (site, try #require(files.withLock { $0 }))
  }

  @Test func `bytes that a failed write left behind the end are not part of the file`() async throws {
    let (site, failing) = try failingSite()
    let stub = Self.shrinking(300_000, then: 10)
    let download = site.download(Loader(stub), TwoVersions.url) { configuration in
      configuration.shouldRetry = { _ in .again }
      configuration.retry = RetryPolicy(limit: 1, delay: .fixed(.zero))
    }
    // The second buffer's write fails when most of it is on the disk.
    failing.fail(
      FileFault(.write, call: 2, code: EIO, pathSuffix: ".curlew-part", bytesWritten: 30_000))
    let result = try await download.run()
    #expect(site.contents()?.count == 262_144 + 10 && result.length == 262_144 + 10)
  }

  @Test func `a file that was cut to its bytes has no others after a power failure`() throws {
    let site = try Site()
    try site.memory.synchronizeDirectory("/")
    let place = PartialPlace(beside: Site.path)
    let file = try PartialFile(place, on: site.disk, syncInterval: Site.syncInterval)
    try file.begin(PartialRecord(DownloadURL(TwoVersions.url)))
    try [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { try file.write($0) }
    try file.makeDurable(withRecord: true)
    // What a write that failed, after the rest was durable, has left.
    let surplus = try site.memory.open(place.data, [.read, .write])
    try [UInt8](repeating: 2, count: 100).withUnsafeBytes { try surplus.write($0, at: 1_000) }
    try surplus.synchronize()
    try surplus.close()
    _ = try file.publish(to: Site.path, .fail, PartialFile.Attributes())
    site.memory.crash()
    #expect(site.contents()?.count == 1_000)
  }

  @Test func `bytes whose synchronization failed are not counted, and are gone from the file`() throws {
    let (site, failing) = try failingSite()
    let place = PartialPlace(beside: Site.path)
    let file = try PartialFile(place, on: site.disk, syncInterval: Site.syncInterval)
    try file.begin(PartialRecord(DownloadURL(TwoVersions.url)))
    try [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { try file.write($0) }
    try file.makeDurable(withRecord: true)
    try [UInt8](repeating: 2, count: 500).withUnsafeBytes { try file.write($0) }
    #expect(file.length == 1_500)
    failing.fail(FileFault(.synchronize))
    #expect(throws: FileSystemError.self) { try file.makeDurable() }
    #expect(file.length == 1_000)
    #expect(try site.memory.status(place.data)?.length == 1_000)
    file.close(keeping: true)
  }

  @Test func `a file with its name but a directory that may lose it is an error, and nothing of others is touched`()
    async throws
  {
    let (site, failing) = try failingSite()
    let place = PartialPlace(beside: Site.path)
    let disk = site.disk
    try await disk.run {
      let file = try PartialFile(place, on: disk, syncInterval: Site.syncInterval)
      try file.begin(PartialRecord(DownloadURL(TwoVersions.url)))
      failing.fail(FileFault(.synchronizeDirectory))
      #expect(throws: FileSystemError.self) {
        try file.publish(to: Site.path, .fail, PartialFile.Attributes())
      }
      // Its lock is given up, so that another download begins.
      let other = try PartialFile(place, on: disk, syncInterval: Site.syncInterval)
      try other.begin(PartialRecord(DownloadURL(TwoVersions.url)))
      file.close(keeping: false)
      #expect(try failing.status(place.data) != nil, "the other download's bytes are gone")
      other.close(keeping: false)
    }
    #expect(try site.names() == ["file.bin"])
    #expect(site.memory.openFiles == 0)

    failing.fail(FileFault(.synchronizeDirectory, call: 2))
    let download = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url) { $0.file.collision = .replace }
    let error = await failure(of: download)
    #expect(error?.kind == .fileError && error?.details.resumption == nil)
    #expect(site.contents() == [UInt8]("new".utf8))
    #expect(try site.names() == ["file.bin"])
  }

  @Test func `a directory that does not exist is named, and how it is created`() async throws {
    let site = try Site()
    let download = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url) {
      $0.target = .file("/gone/file.bin")
    }
    let error = await failure(of: download)
    #expect(error?.kind == .fileError)
    #expect(error?.message == "The directory /gone does not exist.")
    #expect(error?.advice == "Create it, or let the download do so (`file.createsDirectories`).")
  }

  @Test func `a file that few may read is not readable for others while its bytes come`() async throws {
    let site = try Site()
    let place = PartialPlace(beside: Site.path)
    let seen = Guarded<[UInt16]>([])
    func answer() -> StubAnswer {
      StubAnswer(
        headerFields: [.eTag: "\"v1\"", .contentLength: "6"],
        body: [
          .bytes(Data("sec".utf8)),
          .wait { [memory = site.memory] in
            let before = site.kept()
            // The file is made ready on the disk's thread, while the body comes.
            while try memory.status(place.data)?.permissions != 0o600, site.kept() == before { await Task.yield() }
            let mode = try memory.status(place.data)?.permissions ?? 0o777
            seen.withLock { $0.append(mode) }
          }, .bytes(Data("ret".utf8)),
        ])
    }
    _ = try await site.download(Loader(StubTransport(answer())), TwoVersions.url) { $0.file.permissions = 0o440 }.run()
    #expect(try site.memory.status(Site.path)?.permissions == 0o440)
    try site.memory.remove(Site.path)
    // A part that an earlier download has left readable is made unreadable before more is written.
    try await site.keep(3, of: SeededResource(length: 6, seed: 1), from: TwoVersions.url, validator: .entityTag("v0"))
    #expect(try site.memory.status(place.data)?.permissions == 0o644)
    _ = try await site.download(Loader(StubTransport(answer())), TwoVersions.url) { $0.file.permissions = 0o600 }.run()
    #expect(seen.withLock { $0 } == [0o600, 0o600])
    #expect(try site.memory.status(Site.path)?.permissions == 0o600)
  }

  @Test func `dropping a download that succeeded leaves what another one has kept`() async throws {
    let site = try Site()
    let download = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url)
    _ = try await download.run()
    try await site.keep(3, of: SeededResource(length: 6, seed: 1), from: TwoVersions.url)
    await download.discard()
    #expect(site.kept()?.count == 3)
  }

  @Test func `dropping a download that failed removes its bytes`() async throws {
    let site = try Site()
    let cut = StubAnswer(
      headerFields: [.eTag: "\"v1\"", .contentLength: "6"], body: [.bytes(Data("sec".utf8)), Self.lost])
    let download = site.download(Loader(StubTransport(cut)), TwoVersions.url)
    #expect(await failure(of: download)?.details.resumption?.completedBytes == 3)
    #expect(site.kept()?.count == 3)
    await download.discard()
    #expect(try site.names() == [])
  }

  @Test(arguments: [DownloadTarget.file(Site.path), .directory("/d", identifier: "birds")])
  func `dropping a download that was never begun removes what an earlier process has kept`(
    target: DownloadTarget
  ) async throws {
    let site = try Site()
    let cut = StubAnswer(
      headerFields: [.eTag: "\"v1\"", .contentLength: "6"], body: [.bytes(Data("sec".utf8)), Self.lost])
    let loader = Loader(StubTransport(cut))
    for isDroppedLater in [false, true] {
      _ = await failure(of: Downloader(loader, site.configuration(TwoVersions.url, to: target), on: site.disk))
      #expect(try site.names().count == 2)
      let download = Downloader(loader, site.configuration(TwoVersions.url, to: target), on: site.disk)
      download.cancel(keepingPartial: isDroppedLater)
      await download.settled()
      #expect(try site.names().isEmpty == !isDroppedLater)
      await download.discard()
      #expect(try site.names() == [])
    }
  }

  @Test func `a process that was killed while it made its journal leaves nothing for ever`() async throws {
    let site = try Site()
    let left = PartialPlace(beside: Site.path).journal + "-new"
    for isDropped in [false, true] {
      _ = try site.memory.open(left, [.write, .create])
      let download = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url) {
        $0.file.collision = .replace
      }
      if isDropped {
        download.cancel(keepingPartial: false)
        await download.settled()
      } else {
        _ = try await download.run()
      }
      #expect(try site.names() == ["file.bin"])
    }
  }

  @Test func `the names beside a file are never too long`() {
    for length in [1, 2, 237, 238, 255] {
      let place = PartialPlace(beside: "/d/" + String(repeating: "n", count: length))
      for path in [place.data, place.journal + "-new"] { #expect(path.utf8.count - "/d/".utf8.count <= 255) }
      #expect(place.data.contains("nn") == (2...237).contains(length))
    }
  }

  @Test func `dropping a download whose target another one writes leaves it alone`() async throws {
    let site = try Site()
    let disk = site.disk
    let other = try await disk.run {
      let file = try PartialFile(PartialPlace(beside: Site.path), on: disk, syncInterval: Site.syncInterval)
      try file.begin(PartialRecord(DownloadURL(TwoVersions.url)))
      return file
    }
    let download = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url)
    #expect(await failure(of: download)?.kind == .targetInUse)
    await download.discard()
    let unbegun = site.download(Loader(StubTransport(.text("new"))), TwoVersions.url)
    unbegun.cancel(keepingPartial: false)
    await unbegun.settled()
    #expect(try site.names().count == 2)
    try await disk.run { other.close(keeping: false) }
  }
}
