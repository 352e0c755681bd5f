import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Downloads from a server that nobody here wrote, over each transport.
@Suite(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"), .timeLimit(.minutes(10)))
struct NginxTests {
  private static let length = 1 << 20
  private let bytes = SeededResource(length: 1 << 20, seed: 3).bytes(count: 1 << 20)
  private let changed = SeededResource(length: (1 << 20) + 1, seed: 4).bytes(count: (1 << 20) + 1)

  /// Serves a file, runs a body with the folder to download into, and ends everything.
  private func serving(
    _ carrier: Carrier, _ body: (NginxFolder, Loader, _ folder: String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-download-\(UInt64.random(in: 0 ... .max))"
    for name in ["/site", "/here"] { try LocalFileSystem().createDirectory(folder + name) }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try put(bytes, folder)
    let nginx = try NginxFolder(folder + "/site")
    defer { nginx.stop() }
    try await carrier.withLoader { loader in try await body(nginx, loader, folder + "/here") }
  }

  /// Puts a file where nginx finds it, last changed long ago, so that its date is a validator too.
  private func put(_ bytes: [UInt8], _ folder: String, changed seconds: Int64 = 1_600_000_000) throws {
    let path = folder + "/site/f"
    let file = try LocalFileSystem().open(path + ".new", [.write, .create, .truncate])
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    try file.setPermissions(0o644)
    try file.setModified(seconds)
    try file.close()
    try LocalFileSystem().rename(path + ".new", to: path)
  }

  private func configuration(_ url: URL, _ folder: String) -> DownloadConfiguration {
    var configuration = DownloadConfiguration(Request(.get, url), to: .file(folder + "/f"))
    configuration.retry = nil
    configuration.file.collision = .replace
    return configuration
  }

  /// Downloads the file from its slow place, and stops when some of it is there.
  private func begin(_ nginx: NginxFolder, _ loader: Loader, _ folder: String) async throws -> Int64 {
    let download = Downloader(loader, configuration(nginx.url("/limited/f"), folder))
    download.start()
    await wait(while: download.downloadProgress.current.completed < 100_000)
    download.cancel()
    await download.settled()
    let kept = download.file.completed
    #expect(kept >= 100_000 && kept < Int64(Self.length))
    guard case .entityTag = download.file.validator else {
      Issue.record("nginx sent no strong entity tag: \(String(describing: download.file.validator))")
      return kept
    }
    // The record names the fast place, which leads to the same file.
    let disk = DownloadDisk()
    try await disk.run {
      let file = try PartialFile(PartialPlace(beside: folder + "/f"), on: disk, syncInterval: Site.syncInterval)
      try file.note { $0.url = DownloadURL(nginx.url("/f")).url }
      file.close(keeping: true)
    }
    return kept
  }

  private func contents(_ folder: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: folder + "/f")))
  }

  @Test(arguments: Carrier.allCases) func `a 206 for the rest completes the file`(carrier: Carrier) async throws {
    try await serving(carrier) { nginx, loader, folder in
      let kept = try await begin(nginx, loader, folder)
      let download = Downloader(loader, configuration(nginx.url("/f"), folder))
      let result = try await download.run()
      #expect(result.head.status == .partialContent && result.resumedFrom == kept)
      #expect(try contents(folder) == bytes)
      #expect(try LocalFileSystem().list(folder) == ["f"])
    }
  }

  @Test(arguments: Carrier.allCases) func `a 416 says that nothing is missing`(carrier: Carrier) async throws {
    try await serving(carrier) { nginx, loader, folder in
      let disk = DownloadDisk()
      _ = try await begin(nginx, loader, folder)
      // What is kept is made complete, as a kill right before the last step would leave it.
      try await disk.run { [bytes] in
        let file = try PartialFile(PartialPlace(beside: folder + "/f"), on: disk, syncInterval: Site.syncInterval)
        try bytes[Int(file.length)...].withUnsafeBytes { try file.write($0) }
        file.close(keeping: true)
      }
      let result = try await Downloader(loader, configuration(nginx.url("/f"), folder)).run()
      #expect(result.head.status == .rangeNotSatisfiable && result.resumedFrom == Int64(Self.length))
      #expect(try contents(folder) == bytes)
    }
  }

  @Test(arguments: Carrier.allCases) func `a file that has changed is fetched whole, with one request`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { nginx, loader, folder in
      _ = try await begin(nginx, loader, folder)
      try put(changed, folder.dropLast("/here".count).description, changed: 1_600_000_001)
      let download = Downloader(loader, configuration(nginx.url("/f"), folder))
      let result = try await download.run()
      #expect(result.head.status == .ok && result.resumedFrom == 0 && download.attemptCount == 1)
      #expect(try contents(folder) == changed)
    }
  }

  @Test(arguments: Carrier.allCases) func `a file that is gone is an error, and what is kept stays`(
    carrier: Carrier
  ) async throws {
    try await serving(carrier) { nginx, loader, folder in
      let kept = try await begin(nginx, loader, folder)
      let error = await failure(of: Downloader(loader, configuration(nginx.url("/gone"), folder)))
      #expect(error?.kind == .unacceptableStatus && error?.details.resumption?.completedBytes == kept)
      let result = try await Downloader(loader, configuration(nginx.url("/f"), folder)).run()
      #expect(result.resumedFrom == kept)
      #expect(try contents(folder) == bytes)
    }
  }

  @Test func `a range with the date of the last change is honoured, and one with another date is not`() async throws {
    try await serving(.curl) { nginx, loader, folder in
      let disk = DownloadDisk()
      for (seconds, isSame) in [(1_600_000_000, true), (1_600_000_001, false)] as [(Int64, Bool)] {
        let place = PartialPlace(beside: folder + "/f")
        try await disk.run { [bytes] in
          let file = try PartialFile(place, on: disk, syncInterval: Site.syncInterval)
          let date = HTTPDate(secondsSince1970: seconds).description
          try file.begin(
            PartialRecord(DownloadURL(nginx.url("/f")), validator: .lastModified(date), total: Int64(Self.length)))
          try bytes[..<1_000].withUnsafeBytes { try file.write($0) }
          file.close(keeping: true)
        }
        let result = try await Downloader(loader, configuration(nginx.url("/f"), folder), on: disk).run()
        #expect(result.head.status == (isSame ? .partialContent : .ok) && result.resumedFrom == (isSame ? 1_000 : 0))
        #expect(try contents(folder) == bytes)
      }
    }
  }
}
