import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewDownload

/// Responses of which nothing is stored.
@Suite(.timeLimit(.minutes(10))) struct RefusedResponseTests {
  private let resource = SeededResource(length: 100_000, seed: 3)

  @Test(arguments: Carrier.allCases) func `of a refused media type nothing is stored, and the kept bytes stay`(
    carrier: Carrier
  ) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("<html>Please sign in.</html>", type: "text/html") }
    let site = try Site()
    try await site.keep(40_000, of: resource, from: origin.url("/f"))
    try await carrier.withLoader { loader in
      let download = site.download(loader, origin.url("/f")) { configuration in
        configuration.validate = { head, _ in
          guard head.mediaType?.essence == "application/octet-stream" else {
            throw NetworkError(.unacceptableContentType, stage: .validating, message: "This is no file.")
          }
        }
      }
      let error = await failure(of: download)
      #expect(error?.kind == .unacceptableContentType)
      #expect(error?.details.responseBody == Data("<html>Please sign in.</html>".utf8))
      #expect(error?.details.resumption?.completedBytes == 40_000)
    }
    #expect(site.kept() == resource.bytes(count: 40_000) && site.contents() == nil)
    await origin.stop()
  }

  @Test(arguments: [
    ("/dev/full", "/dev/full is not a regular file. Give the path of one."),
    ("/tmp", "The download cannot be written to /tmp: Is a directory. Give the path of a file."),
    ("/proc/1/none/f", "The directory /proc/1/none does not exist. Create it, or"),
    ("/proc/f", "The directory /proc exists, but no file can be created in it. Choose another directory."),
    ("file:///none/f", "The directory file:///none does not exist. Write the path alone, without `file://`."),
    ("~/f", "The directory ~ does not exist. Write the whole path: the shell replaces `~`, and Swift does not."),
  ])
  func `an error of a target names the file and the request`(path: String, message: String) async throws {
    let transport = StubTransport(.text("bytes"))
    let request = try Request(.get, "https://birds.test/f?key=hush")
    var configuration = DownloadConfiguration(request, to: .file(path))
    configuration.file.collision = .replace
    let download = Downloader(Loader(transport), configuration, on: DownloadDisk())
    let error = await #expect(throws: NetworkError.self) { try await download.run() }
    #expect(error?.kind == .fileError && transport.requestCount == 0)
    let text = error?.description ?? ""
    #expect(text.contains(message) && text.hasPrefix("GET https://birds.test/f: "), "\(text)")
  }

  @Test func `a download is neither answered from a cache nor stored in one`() async throws {
    let store = MemoryCacheStore()
    let resource = resource.with { $0.fields = ["Cache-Control": "max-age=3600"] }
    let origin = try await ScriptedOrigin.start { resource.reply(to: $0) }
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(caching: Caching(store)))
    let site = try Site()
    for path in ["/d/1", "/d/2"] {
      var configuration = site.configuration(origin.url("/f"), to: .file(path))
      configuration.retry = nil
      _ = try await Downloader(loader, configuration, on: site.disk).run()
    }
    #expect(origin.requests.count == 2, "the first download is stored, or the second comes from the cache")
    for _ in 0..<2 { _ = try await loader.load(Request(.get, origin.url("/f"))).body.collect(upTo: 1 << 20) }
    #expect(origin.requests.count == 3, "what is not a download is stored")
    _ = try await Downloader(loader, site.configuration(origin.url("/f"), to: .file("/d/3")), on: site.disk).run()
    #expect(origin.requests.count == 4)
    await transport.shutdown()
    await origin.stop()
  }
}
