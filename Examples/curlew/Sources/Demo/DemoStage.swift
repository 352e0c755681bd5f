import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewDigests
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The surroundings of the demo's steps: an origin, a loader and a folder for files.
struct DemoStage: Sendable {
  let origin: ScriptedOrigin
  let transport: CurlTransport
  let loader: Loader
  let folder: String
  let progress: ProgressStyle

  init(progress: ProgressStyle) async throws {
    self.progress = progress
    folder = FileManager.default.temporaryDirectory.path + "/curlew-demo-\(UInt64.random(in: 0 ... .max))"
    try LocalFileSystem().createDirectory(folder)
    origin = try await ScriptedOrigin.start { await DemoOrigin.answer($0) }
    transport = try CurlTransport()
    loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding()))
  }

  /// Stops the origin and removes the folder.
  func end() async {
    await transport.shutdown()
    await origin.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Fetches paths of the origin into the folder as `curlew get` does, with progress.
  func fetch(_ paths: [String]) async throws -> [FetchResult] {
    let fetcher = Fetcher(loader: loader, options: Fetcher.Options(hashes: true)) { _ in ExchangeSettings() }
    let fetches = paths.enumerated().map { index, path in
      var request = Request(.get, origin.url(path))
      request.options.delivery = .collected
      return Fetch(index: index, url: origin.address(path), request: request, destination: .directory(folder))
    }
    let display = ProgressDisplay(progress, count: fetches.count, showsBody: false)
    let run = FetchRun(fetcher: fetcher, display: display, parallel: paths.count)
    let results = Mutex<[FetchResult]>([])
    try await display.during {
      try await run.run(fetches) { result in results.withLock { $0.append(result) } }
    }
    return results.withLock { $0 }.sorted { $0.fetch.index < $1.fetch.index }
  }

  /// The names of the files in the folder.
  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
}

/// The error of a step that did not behave as explained.
struct DemoError: Error, CustomStringConvertible {
  let description: String
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(DemoError) {
  if !condition { throw DemoError(description: what()) }
}

/// Returns the value; throws when it is nil.
func present<Value>(_ value: Value?) throws(DemoError) -> Value {
  guard let value else { throw DemoError(description: "it did not come out as said") }
  return value
}
