import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewDigests
import CurlewLoading
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// The transports that downloads run over.
enum Carrier: String, CaseIterable, Sendable {
  case curl, urlSession

  func make() throws -> any Transport {
    switch self {
    case .curl: try CurlTransport()
    case .urlSession: URLSessionTransport()
    }
  }

  /// Runs a body with a loader, and ends its transport.
  func withLoader<Result>(_ body: (Loader) async throws -> Result) async throws -> Result {
    let transport = try make()
    let loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding(), redirect: Redirect()))
    do {
      let result = try await body(loader)
      await transport.shutdown()
      return result
    } catch {
      await transport.shutdown()
      throw error
    }
  }
}

/// A file system with a partial file in it, and what is asked of it.
struct Site: Sendable {
  static let path = "/d/file.bin"
  let memory: MemoryFileSystem
  let disk: DownloadDisk

  init(
    capacity: Int64 = 64 << 20, over make: (MemoryFileSystem) -> any FileSystem = { $0 }, boot: String? = "boot-1"
  )
    throws
  {
    memory = MemoryFileSystem(capacity: capacity)
    try memory.createDirectory("/d")
    disk = DownloadDisk(make(memory), boot: { boot })
  }

  static let syncInterval = PartialFile.SyncInterval(bytes: 16 << 20, interval: .seconds(5))

  /// Leaves the first bytes of a resource, as an earlier download would.
  func keep(
    _ count: Int, of resource: SeededResource, from url: URL, at path: String = Site.path,
    validator: EntityValidator? = nil, knowsTotal: Bool = true
  ) async throws {
    let disk = disk
    let tag = resource.entityTag.flatMap { EntityTag($0) }.flatMap {
      $0.isWeak ? nil : EntityValidator.entityTag($0.opaque)
    }
    try await disk.run {
      let file = try PartialFile(PartialPlace(beside: path), on: disk, syncInterval: Self.syncInterval)
      try file.begin(
        PartialRecord(
          DownloadURL(url), validator: validator ?? tag, total: knowsTotal ? resource.length : nil))
      try resource.bytes(count: count).withUnsafeBytes { try file.write($0) }
      file.close(keeping: true)
    }
  }

  /// The kept bytes; nil where there are none.
  func kept(at path: String = Site.path) -> [UInt8]? { memory.contents(of: PartialPlace(beside: path).data) }

  func contents(_ path: String = Site.path) -> [UInt8]? { memory.contents(of: path) }

  /// The names in the directory.
  func names() throws -> [String] { try memory.list("/d").sorted() }

  func configuration(_ url: URL, to target: DownloadTarget = .file(Site.path)) -> DownloadConfiguration {
    var configuration = DownloadConfiguration(Request(.get, url), to: target)
    configuration.retry = nil
    return configuration
  }

  func download(
    _ loader: Loader, _ url: URL, _ change: (inout DownloadConfiguration) -> Void = { _ in }
  ) -> Downloader {
    var configuration = configuration(url)
    change(&configuration)
    return Downloader(loader, configuration, on: disk)
  }
}

/// The error of a download that must fail with one of Curlew's own.
func failure(
  of download: Downloader, _ location: SourceLocation = #_sourceLocation
) async -> NetworkError? {
  do {
    let result = try await download.run()
    Issue.record("The download succeeded with \(result.length) bytes.", sourceLocation: location)
    return nil
  } catch {
    if let error = error as? NetworkError { return error }
    Issue.record("The download failed with \(error).", sourceLocation: location)
    return nil
  }
}

func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm = .sha256) throws -> ExpectedDigest {
  try ExpectedDigest(algorithm, try Digest.of(Data(bytes), algorithm))
}

/// Lets other tasks run for as long as a condition holds; what never comes fails the test and does not hang it.
func wait(
  while condition: @autoclosure () -> Bool, isolation: isolated (any Actor)? = #isolation,
  _ location: SourceLocation = #_sourceLocation
) async {
  let end = ContinuousClock.now.advanced(by: .seconds(300))
  while condition() {
    guard ContinuousClock.now < end, !Task.isCancelled else {
      Issue.record("What was waited for did not come.", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}
