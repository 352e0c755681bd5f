import ArgumentParser
import Dispatch
import Foundation

/// The entry point of the program.
///
/// The main thread is given up to Dispatch, as an asynchronous `main` does. Only valgrind ends such a program; under it, the main
/// thread runs its loop, which also serves the main queue.
@main
enum Program {
  static func main() {
    Task.detached {
      await Bench.main()
      exit(0)
    }
    guard isUnderValgrind else { dispatchMain() }
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
  }

  /// Whether valgrind has loaded its own libraries into the program.
  private static var isUnderValgrind: Bool {
    ProcessInfo.processInfo.environment["LD_PRELOAD"]?.contains("valgrind") ?? false
  }
}

struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curlew-bench",
    abstract: "Measures Curlew and its peers in the same process shape.",
    discussion: """
      CPU is user and system time of the whole process over the counted part; rss_mb is the most memory it ever held.
      Compare figures of one run on one machine only.

      EXAMPLES
        curlew-bench get http://127.0.0.1:8080/1k 100000 32
        curlew-bench get http://127.0.0.1:8080/1k 100000 32 --peer libcurl
        curlew-bench cache http://127.0.0.1:8080/1k 20000 32
        curlew-bench connect https://localhost:8443/1k 1000 --cacert ca.pem
        curlew-bench download http://127.0.0.1:8080/1g /tmp/1g
        curlew-bench downloads http://127.0.0.1:8080/4m 1000 --folder /tmp/many
        curlew-bench hold 100000
        curlew-bench store /tmp/birds 1000000
        curlew-bench schedule 100000
        curlew-bench parse json twitter.json --peer foundation-json
        curlew-bench websocket http://127.0.0.1:8080/echo 1000000 --outstanding 32
        curlew-bench websocket-hold http://127.0.0.1:8080/echo 10000
        curlew-bench measure curl -s -o /tmp/1g http://127.0.0.1:8080/1g
      """,
    subcommands: [
      GetCommand.self, ConnectCommand.self, CacheCommand.self, DownloadCommand.self, DownloadsCommand.self,
      HoldCommand.self, StoreCommand.self, ScheduleCommand.self, ParseCommand.self, MeasureCommand.self,
      WebSocketCommand.self, WebSocketHoldCommand.self, WebSocketServeCommand.self,
    ])
}
