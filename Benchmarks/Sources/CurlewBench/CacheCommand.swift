import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import FoundationEssentials
import Glibc
import HTTPTypes

/// Measures hits of a cache against plain requests.
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "GETs one URL from the server, past a cache, and from caches in memory and on the disk.",
    discussion: """
      The four take turns in one process, and the best of all rounds counts. Each line ends with the ratio to a plain GET.
      What goes past a cache has a `Cache-Control: no-store` of its own.

      EXAMPLES
        curlew-bench cache http://127.0.0.1:8080/1k 20000 32
      """)

  @Argument(help: "What to get.") var url: String
  @Argument(help: "How many times in each round.") var count: Int
  @Argument(help: "How many at once.") var inFlight: Int
  @Option(help: "How many rounds.") var rounds = 5

  func validate() throws {
    guard count > 0, inFlight > 0, rounds > 0 else { throw ValidationError("The numbers are at least 1.") }
  }

  func run() async throws {
    let transport = try TransportName.curl.make(inFlight: inFlight)
    var template = Array("/tmp/curlew-bench-XXXXXX".utf8CString)
    let directory = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    defer { Self.remove(directory) }
    let loaders: [(name: String, loader: Loader)] = [
      ("plain", Loader(transport)), ("past", Loader(transport, interceptors: [Caching(MemoryCacheStore())])),
      ("memory", Loader(transport, interceptors: [Caching(MemoryCacheStore())])),
      ("disk", Loader(transport, interceptors: [Caching(try DiskCacheStore(directory))])),
    ]
    var best: [Double] = Array(repeating: .infinity, count: loaders.count)
    for (name, loader) in loaders { try await get(loader, min(count, 100), past: name == "past") }
    for _ in 0..<rounds {
      for (index, entry) in loaders.enumerated() {
        let start = Usage.current
        try await get(entry.loader, count, past: entry.name == "past")
        best[index] = min(best[index], Measurement(from: start).processorSeconds * 1e6 / Double(count))
      }
    }
    await transport.shutdown()
    for (index, entry) in loaders.enumerated() {
      print(
        "cache \(entry.name) n=\(count) c=\(inFlight) cpu_us_per_req=\(decimal(best[index], 2))",
        "ratio=\(decimal(best[index] / best[0], 3))")
    }
  }

  private func get(_ loader: Loader, _ count: Int, past: Bool) async throws {
    var request = try Request(.get, url)
    if past { request.headerFields[.cacheControl] = "no-store" }
    var hooks = ExchangeHooks()
    // The age of a file says little about how long it stays fresh.
    hooks.storeInCache = { head in
      var head = head
      head.headerFields[.cacheControl] = "max-age=3600"
      return .change(head)
    }
    let (exchangeHooks, asked) = (hooks, request)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<inFlight {
        let share = count / inFlight + (index < count % inFlight ? 1 : 0)
        group.addTask {
          for _ in 0..<share {
            var settings = ExchangeSettings()
            settings.hooks = exchangeHooks
            _ = try await loader.data(for: asked, upTo: 1 << 24, in: Exchange(settings))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func remove(_ directory: String) {
    for name in (try? LocalFileSystem().list(directory)) ?? [] { try? LocalFileSystem().remove(directory + "/" + name) }
    try? LocalFileSystem().remove(directory)
  }
}
