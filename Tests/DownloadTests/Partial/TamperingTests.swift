import CurlewCore
import CurlewLoading
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads whose files somebody else changes, takes away or has put there: the right file, or an error that names it.
@Suite(.timeLimit(.minutes(10))) struct TamperingTests {
  private let place = PartialPlace(beside: Site.path)

  /// Runs a download that halts after half of its bytes while a body changes what is on the disk.
  private func halfway(
    _ site: Site, _ configure: (inout DownloadConfiguration) -> Void = { _ in },
    _ change: @escaping @Sendable () async throws -> Void
  ) async -> TransferOutcome<DownloadResult> {
    let answer = StubAnswer(
      headerFields: [.eTag: "\"v1\"", .contentLength: "6"],
      body: [.bytes(Data("sec".utf8)), .wait { try await change() }, .bytes(Data("ret".utf8))])
    return await site.download(Loader(StubTransport(answer)), TwoVersions.url, configure).outcomeOfRun
  }

  @Test func `a file that takes the place of the partial one is not given its name`() async throws {
    let site = try Site()
    let outcome = await halfway(site) { [place] in
      // The disk has written what came, or the file would not be there yet.
      try await site.disk.run {}
      try site.memory.remove(place.data)
      try [UInt8]("foreign".utf8).withUnsafeBytes {
        try site.memory.open(place.data, [.write, .create]).write($0, at: 0)
      }
    }
    let error = try #require(outcome.error as? NetworkError)
    #expect(error.kind == .fileError && (error.details.underlying as? FileSystemError)?.path == place.data)
    #expect(site.contents() == nil && site.memory.openFiles == 0)
    // Nobody goes on with it either, since it has another length.
    let last = await site.download(Loader(StubTransport(.text("new"))), TwoVersions.url).outcomeOfRun
    #expect(last.error == nil && site.contents() == [UInt8]("new".utf8))
  }

  @Test(arguments: [0, 100_000, 262_143])
  func `a partial file that another program shortens is not published with a hole`(
    left: Int64
  ) async throws {
    let site = try Site()
    let whole = SeededResource(length: 600_000, seed: 1).bytes(count: 600_000)
    let shorten: @Sendable () throws -> Void = { [place] in
      try site.memory.open(place.data, .write).truncate(to: left)
    }
    @Sendable func answer(from offset: Int, _ wait: (@Sendable () async throws -> Void)? = nil) -> StubAnswer {
      var answer = StubAnswer(headerFields: [.eTag: "\"v1\"", .contentLength: "\(600_000 - offset)"])
      if offset > 0 {
        answer.status = .partialContent
        answer.headerFields[.contentRange] = "bytes \(offset)-599999/600000"
      }
      let middle = max(offset, 300_000)
      answer.body =
        [.bytes(Data(whole[offset..<middle]))] + (wait.map { [.wait($0)] } ?? []) + [.bytes(Data(whole[middle...]))]
      return answer
    }
    let first = answer(from: 0) { [place] in
      // A whole buffer is in the file.
      while site.memory.contents(of: place.data)?.count ?? 0 < 262_144 { await Task.yield() }
      try shorten()
    }
    let middle = await failure(of: site.download(Loader(StubTransport(first)), TwoVersions.url))
    #expect(middle?.kind == .fileError && middle?.message.contains("shortened") == true)
    #expect(site.contents() == nil && site.memory.openFiles == 0)
    let rest = StubTransport { asked in
      answer(from: asked.request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0)
    }
    let last = site.download(Loader(rest), TwoVersions.url) { $0.file.willPublish = { _ in try shorten() } }
    #expect(await failure(of: last)?.message.contains("shortened") == true)
    #expect(site.contents() == nil)
    let result = try await site.download(Loader(rest), TwoVersions.url).run()
    #expect(result.resumedFrom == left && site.contents() == whole)
  }

  @Test func `a damaged record does not let the one before it vouch for bytes of another version`() async throws {
    let site = try Site()
    let (old, new) = (SeededResource(length: 9_000, seed: 1), SeededResource(length: 9_000, seed: 2))
    try await site.keep(5_000, of: old, from: TwoVersions.url, validator: .entityTag("old"))
    try await site.keep(5_000, of: new, from: TwoVersions.url, validator: .entityTag("new"))
    // The last byte belongs to the record of the new version, in which one bit is wrong.
    let length = try #require(site.memory.contents(of: place.journal)).count
    let last = try #require(site.memory.contents(of: place.journal)?.last)
    try [last ^ 1].withUnsafeBytes { try site.memory.open(place.journal, .write).write($0, at: Int64(length - 1)) }
    // The server has the old version again.
    let stub = StubTransport { asked in
      let offset = asked.request.headerFields[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      var answer = StubAnswer(
        offset > 0 ? .partialContent : .ok, headerFields: [.eTag: "\"old\""],
        body: [.bytes(Data(old.bytes(from: Int64(offset), count: 9_000 - offset)))])
      if offset > 0 { answer.headerFields[.contentRange] = "bytes \(offset)-8999/9000" }
      return answer
    }
    _ = try await site.download(Loader(stub), TwoVersions.url).run()
    #expect(site.contents() == old.bytes(count: 9_000))
  }

  @Test func `a state that is damaged says what to do, and stays as it is`() async throws {
    for text in ["CURLEWJ", "CURLEWJ2 of a later version, which is long enough", "somebody else's notes"] {
      let site = try Site()
      try [UInt8](text.utf8).withUnsafeBytes {
        try site.memory.open(place.journal, [.write, .create]).write($0, at: 0)
      }
      let error = await failure(of: site.download(Loader(StubTransport(.text("new"))), TwoVersions.url))
      #expect(error?.kind == .fileError && error?.message.contains(place.journal) == true)
      #expect(error?.advice?.contains("remove it") == true, "\(String(describing: error?.message))")
      #expect(site.memory.contents(of: place.journal) == [UInt8](text.utf8))
    }
  }

  @Test func `a link that leads nowhere is replaced, or counts as a file that exists`() async throws {
    let directory = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    defer { system("rm -rf \(directory)") }
    let files = LocalFileSystem()
    try files.createDirectory(directory)
    #expect(symlink("nowhere", directory + "/f") == 0)
    for (policy, isKept) in [(CollisionPolicy.fail, true), (.number, true), (.replace, false)] {
      let stub = StubTransport(.text("new"))
      var configuration = DownloadConfiguration(Request(.get, TwoVersions.url), to: .file(directory + "/f"))
      configuration.file.collision = policy
      let outcome = await Downloader(Loader(stub), configuration).outcomeOfRun
      #expect((outcome.error as? NetworkError)?.kind == (policy == .fail ? .targetExists : nil))
      #expect(stub.requestCount == (policy == .fail ? 0 : 1))
      #expect(try files.linkStatus(directory + "/f")?.kind == (isKept ? .symbolicLink : .regular))
    }
    #expect(try files.status(directory + "/nowhere") == nil && files.status(directory + "/f-2") != nil)
  }

  @Test(arguments: ["\u{301}a", "b\u{301}/\u{302}c", "\u{301}"])
  func `names are bytes, also if they begin with a combining mark`(name: String) async throws {
    let directory = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    defer { system("rm -rf \(directory)") }
    for collision in [CollisionPolicy.fail, .number] {
      var configuration = DownloadConfiguration(Request(.get, TwoVersions.url), to: .file(directory + "/" + name))
      configuration.file.createsDirectories = true
      configuration.file.collision = collision
      _ = try await Downloader(Loader(StubTransport(.text("new"))), configuration).run()
    }
    let parts = name.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
    let folder = ([directory] + parts.dropLast()).joined(separator: "/")
    let last = try #require(parts.last)
    let names = try LocalFileSystem().list(folder).map { [UInt8]($0.utf8) }
    #expect(Set(names) == [[UInt8](last.utf8), [UInt8]("\(last)-2".utf8)])
  }

  @Test func `a file that only its owner could read stays so when it is replaced`() async throws {
    let site = try Site()
    try site.memory.open(Site.path, [.write, .create]).setPermissions(0o600)
    let during = Guarded<UInt16?>(nil)
    let outcome = await halfway(site, { $0.file.collision = .replace }) { [place] in
      try await site.disk.run {}
      let permissions = try site.memory.status(place.data)?.permissions
      during.withLock { $0 = permissions }
    }
    #expect(outcome.error == nil && during.withLock { $0 } == 0o600)
    #expect(try site.memory.status(Site.path)?.permissions == 0o600)
    try site.memory.open(Site.path, .write).setPermissions(0o664)
    let again = await halfway(site, { $0.file.collision = .replace }) {}
    #expect(again.error == nil)
    #expect(try site.memory.status(Site.path)?.permissions == 0o664)
  }

  @Test func `a download whose journal is removed keeps its target to itself`() async throws {
    let site = try Site()
    let other = Guarded<NetworkError?>(nil)
    let outcome = await halfway(site) { [place] in
      try await site.disk.run {}
      try site.memory.remove(place.journal)
      let error = await failure(of: site.download(Loader(StubTransport(.text("new"))), TwoVersions.url))
      other.withLock { $0 = error }
    }
    #expect(other.withLock { $0?.kind } == .targetInUse)
    #expect(outcome.error == nil && site.contents() == [UInt8]("secret".utf8))
  }

  @Test func `a journal that is cut anywhere ends as the right file, or is refused by its name`() async throws {
    let resource = SeededResource(length: 6, seed: 1)
    let whole = resource.bytes(count: 6)
    func site() async throws -> Site {
      let site = try Site()
      try await site.keep(3, of: resource, from: TwoVersions.url, validator: .entityTag("v1"))
      return site
    }
    let length = try #require(try await site().memory.contents(of: place.journal)?.count)
    for cut in 0..<length {
      let site = try await site()
      try site.memory.open(place.journal, .write).truncate(to: Int64(cut))
      let stub = StubTransport { asked in
        guard asked.request.headerFields[.ifRange] == "\"v1\"" else {
          return StubAnswer(headerFields: [.eTag: "\"v1\""], body: [.bytes(Data(whole))])
        }
        return StubAnswer(
          .partialContent, headerFields: [.eTag: "\"v1\"", .contentRange: "bytes 3-5/6"],
          body: [.bytes(Data(whole[3...]))])
      }
      let outcome = await site.download(Loader(stub), TwoVersions.url).outcomeOfRun
      if let error = outcome.error {
        #expect((error as? NetworkError)?.kind == .fileError && "\(error)".contains(place.journal), "cut at \(cut)")
        // Only a file that does not even have the beginning of a journal is taken for somebody else's.
        #expect((1..<24).contains(cut) && site.kept()?.count == 3 && site.contents() == nil, "cut at \(cut)")
      } else {
        #expect(site.contents() == whole, "cut at \(cut)")
        #expect(try site.names() == ["file.bin"], "cut at \(cut)")
      }
    }
  }

  @Test func `a partial file of another user is refused, and so is a link or a directory in its place`() async throws {
    let failing = Guarded<FailingFileSystem?>(nil)
    let site = try Site { memory in
      let files = FailingFileSystem(over: memory)
      failing.withLock { $0 = files }
      return files
    }
    try await site.keep(3, of: SeededResource(length: 6, seed: 1), from: TwoVersions.url)
    // Only the owner of a file may set its mode.
    failing.withLock { $0 }?.fail(FileFault(.setPermissions, code: EPERM, pathSuffix: ".curlew-part"))
    let stub = StubTransport(.text("new"))
    let error = await failure(of: site.download(Loader(stub), TwoVersions.url))
    #expect(error?.kind == .fileError && (error?.details.underlying as? FileSystemError)?.code == EPERM)
    #expect(stub.requestCount == 0 && site.kept()?.count == 3 && site.memory.openFiles == 0)

    let directory = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    defer { system("rm -rf \(directory)") }
    let files = LocalFileSystem()
    try files.createDirectory(directory)
    _ = try files.open(directory + "/else", [.write, .create])
    let part = PartialPlace(beside: directory + "/f").data
    for makes in [{ symlink(directory + "/else", part) }, { mkdir(part, 0o700) }] {
      #expect(makes() == 0)
      let download = Downloader(
        Loader(stub), DownloadConfiguration(Request(.get, TwoVersions.url), to: .file(directory + "/f")))
      #expect(await failure(of: download)?.kind == .fileError)
      #expect(try files.linkStatus(part) != nil && files.status(directory + "/f") == nil)
      try files.remove(part)
    }
    #expect(try files.status(directory + "/else")?.length == 0)
  }

  @Test func `a download that was killed when its file could no longer be written begins anew`() async throws {
    let failing = Guarded<FailingFileSystem?>(nil)
    let site = try Site { memory in
      let files = FailingFileSystem(over: memory)
      failing.withLock { $0 = files }
      return files
    }
    for mode in [0o440, 0o640] as [UInt16] {
      try await site.keep(3, of: SeededResource(length: 6, seed: 1), from: TwoVersions.url)
      try site.memory.open(place.data, .write).setPermissions(mode)
      failing.withLock { $0 }?.fail(FileFault(.open, code: EACCES, pathSuffix: ".curlew-part"))
      let outcome = await site.download(Loader(StubTransport(.text("new"))), TwoVersions.url) {
        $0.file.collision = .replace
      }.outcomeOfRun
      #expect((outcome.error == nil) == (mode == 0o440) && site.contents() == [UInt8]("new".utf8))
    }
  }

  @Test func `a file whose name is taken can be gone on with, whatever mode it was to get`() async throws {
    let site = try Site()
    let files = site.memory
    let answer = StubAnswer(
      headerFields: [.eTag: "\"v1\"", .contentLength: "3"],
      // The name is taken while the body comes; one that is taken before is refused with the head.
      body: [
        .bytes(Data("ne".utf8)), .wait { _ = try files.open("/d/taken", [.write, .create]) }, .bytes(Data("w".utf8)),
      ])
    var configuration = site.configuration(
      TwoVersions.url, to: .chosen(partialIn: "/d", identifier: "i") { _ in "/d/taken" })
    configuration.file.permissions = 0o440
    let error = await failure(of: Downloader(Loader(StubTransport(answer)), configuration, on: site.disk))
    #expect(error?.kind == .targetExists && error?.details.resumption?.completedBytes == 3)
    #expect(try site.memory.status(PartialPlace(in: "/d", identifier: "i").data)?.permissions == 0o600)
  }

  @Test func `a directory that is taken away is an error, and one that is swapped gets nothing foreign`() async throws {
    let root = "/tmp/curlew-download-\(UInt64.random(in: 0 ... .max))"
    let files = LocalFileSystem()
    defer { system("rm -rf \(root)") }
    for isSwapped in [false, true] {
      let directory = root + "/\(isSwapped)"
      try files.createDirectory(directory)
      let part = PartialPlace(beside: directory + "/f").data
      let answer = StubAnswer(
        headerFields: [.eTag: "\"v1\"", .contentLength: "6"],
        body: [
          .bytes(Data("sec".utf8)),
          .wait {
            // The file is made ready on the disk's thread, while the body comes.
            while try files.status(part) == nil { await Task.yield() }
            try files.rename(directory, to: directory + "-gone", replacing: false)
            guard isSwapped else { return }
            try files.createDirectory(directory)
            try [UInt8]("foreign".utf8).withUnsafeBytes { try files.open(part, [.write, .create]).write($0, at: 0) }
          }, .bytes(Data("ret".utf8)),
        ])
      let download = Downloader(
        Loader(StubTransport(answer)),
        DownloadConfiguration(Request(.get, TwoVersions.url), to: .file(directory + "/f")))
      #expect(await failure(of: download)?.kind == .fileError)
      #expect(try files.status(directory + "/f") == nil)
    }
  }
}
