import ArgumentParser
import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewStorage
import Glibc
import HTTPTypes
import Synchronization

/// Many downloads at once, to be compared with as many bodies that nobody keeps but that are paused as often.
struct DownloadsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "downloads", abstract: "Downloads one URL many times at once, or takes its body as often.",
    discussion: """
      EXAMPLES
        curlew-bench downloads http://127.0.0.1:8080/4m 1000 --folder /tmp/many
        curlew-bench downloads http://127.0.0.1:8080/4m 1000
      """)

  @Argument(help: "What to download.") var url: String
  @Argument(help: "How often at once.") var count: Int
  @Option(help: "Where to; without it the bytes are thrown away.") var folder: String?

  func run() async throws {
    let transport = try TransportName.curl.make(inFlight: count)
    let loader = Loader(transport)
    let request = try Request(.get, url)
    let start = Usage.current
    let (disk, work) = (DownloadDisk(), DiskWork())
    let bytes = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<count {
        group.addTask {
          if let folder {
            var configuration = DownloadConfiguration(request, to: .file("\(folder)/\(number)"))
            configuration.file.collision = .replace
            return try await Downloader(loader, configuration, on: disk).run().length
          }
          var streamed = request
          streamed.options.delivery = .streamed
          let sink = CountingSink(work)
          try await loader.download(streamed, to: sink)
          return sink.count
        }
      }
      return try await group.reduce(0, +)
    }
    let measured = Measurement(from: start)
    print(
      "\(folder == nil ? "bodies" : "downloads") n=\(count) bytes=\(bytes) wall=\(decimal(measured.wallSeconds, 3))",
      "cpu_s=\(decimal(measured.processorSeconds, 3)) rss_mb=\(decimal(measured.peakMegabytes, 1))")
    await transport.shutdown()
  }
}

/// Counts bytes, keeps none, and has its transport wait for a disk after each piece, as a download does.
private final class CountingSink: BodySink {
  private let taken = Mutex<Int64>(0)
  private let work: DiskWork
  var count: Int64 { taken.withLock { $0 } }

  init(_ work: DiskWork) { self.work = work }

  func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
    taken.withLock { $0 += Int64(bytes.count) }
    return .pause
  }

  func ready() async throws { await work.run { _ = usleep(50) } }
}
