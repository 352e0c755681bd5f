import ArgumentParser
import CurlewCore
import CurlewLoading
import Glibc
import HTTPTypes
import Synchronization

/// Measures the download of one large file.
struct DownloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Downloads one URL to a file.",
    discussion: """
      EXAMPLES
        curlew-bench download http://127.0.0.1:8080/1g /tmp/1g --peer libcurl
      """)

  @Argument(help: "What to download.") var url: String
  @Argument(help: "Where to.") var file: String
  @Option(help: "What carries the request: curl or urlsession.") var transport = TransportName.curl
  @Option(help: "Do the same work through a peer: libcurl or urlsession.") var peer: GetPeer?

  func run() async throws {
    let start = Usage.current
    let bytes = try await download()
    let measured = Measurement(from: start)
    print(
      "\(peer?.rawValue ?? "curlew") bytes=\(bytes) wall=\(decimal(measured.wallSeconds, 3))",
      "cpu_s=\(decimal(measured.processorSeconds, 3)) rss_mb=\(decimal(measured.peakMegabytes, 1))")
  }

  private func download() async throws -> Int64 {
    switch peer {
    case nil:
      let carrier = try transport.make(inFlight: 1)
      let sink = try DescriptorSink(file)
      try await Loader(carrier).download(Request(.get, url), to: sink)
      await carrier.shutdown()
      return sink.count
    case .libcurl:
      let client = try RawClient(url, inFlight: 1)
      let sink = try DescriptorSink(file)
      let bytes = try client.run(count: 1, descriptor: sink.descriptor)
      await client.end()
      return bytes
    case .urlsession:
      let client = try URLSessionClient(url, inFlight: 1)
      let bytes = try await client.download(to: file)
      await client.end()
      return bytes
    }
  }
}

/// Writes to a file with plain `write(2)`, as the peers do.
private final class DescriptorSink: BodySink {
  let descriptor: Int32
  private let written = Mutex<Int64>(0)
  var count: Int64 { written.withLock { $0 } }

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
  }

  deinit { close(descriptor) }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    var rest = bytes
    while !rest.isEmpty {
      let taken = write(descriptor, rest.baseAddress, rest.count)
      guard taken > 0 else { throw FileSystemError(code: errno, operation: "write", path: "") }
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
    }
    written.withLock { $0 += Int64(bytes.count) }
    return .more
  }
}
