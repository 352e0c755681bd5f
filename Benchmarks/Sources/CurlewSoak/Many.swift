import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import FoundationEssentials
import Glibc
import HTTPTypes

/// Sends thousands of concurrent requests.
struct Many: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "many", abstract: "Requests that are all on the wire at once.")

  @Argument(help: "A resource whose answer takes some seconds.") var url: String
  @Option(help: "How many.") var count = 10_000

  func run() async throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var configuration = CurlTransport.Configuration()
    configuration.requestsPerOrigin = count
    let transport = try CurlTransport(configuration)
    guard let url = URL(string: url) else { throw ValidationError("not a URL") }
    let before = ProcessFigures.currentMemory
    let finished = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          guard let response = try? await transport.send(Request(.get, url), in: Exchange()),
            (try? await response.body.collect(upTo: 1 << 20)) != nil
          else { return false }
          return response.head.status.code == 200
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let each = (ProcessFigures.peakMemory - before) * 1024 / Double(count)
    var report = Report("\(count) at once")
    report.promise(finished == count, "\(finished) finished")
    report.promise(each < 28, "\(each.short) kB each (< 28.0)")
    await transport.shutdown()
    try report.finish()
  }
}
