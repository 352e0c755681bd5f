import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// Loses connections at the worst moments, and counts what the server received.
///
/// Requests that may be repeated succeed, and others are received at most once.
struct LostConnections: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lost-connections",
    abstract: "Requests on connections that the server closes, over HTTP/1.1 or against a server that counts.")

  @Option(help: "Of each kind.") var count = 5_000
  @Option(help: "A server that loses connections and tells at /count what it received twice; else one in this process.")
  var server: String?

  private struct Tally {
    var good = 0
    var maybeProcessed = 0
    var neverSent = 0
    var other = 0
  }

  func run() async throws {
    let transport = try CurlTransport()
    let loader = Loader(transport, settings: AcceptingTrust.settings)
    let origin = server == nil ? try await Self.closingOrigin() : nil
    let target = server ?? origin?.address("/") ?? ""
    guard let url = URL(string: target), let id = HTTPField.Name("X-Request-ID") else {
      throw ValidationError("not a URL")
    }
    var report = Report("lost connections\(server == nil ? "" : " over HTTP/2")")
    for (name, make) in Self.kinds(url) {
      origin?.forgetRequests()
      let tally = await send(loader) { number in
        var request = make()
        request.headerFields[id] = "\(name)-\(number)"
        // Streams are meant to share connections here.
        request.options.delivery = .collected
        return request
      }
      if name == "GET" {
        report.promise(tally.good == count, "\(name) \(tally.good) of \(count)")
      } else {
        report.promise(
          tally.good + tally.maybeProcessed == count && tally.other == 0,
          "\(name) \(tally.good) good and \(tally.maybeProcessed) maybe processed of \(count)")
        if let origin {
          let received = Dictionary(origin.requests.map { ($0["X-Request-ID"] ?? "", 1) }, uniquingKeysWith: +)
          let twice = received.values.count { $0 > 1 }
          report.promise(twice == 0, "\(twice) received twice")
        }
      }
    }
    if server != nil {
      let response = try await loader.load(Request(.get, target + "count"))
      let twice = String(decoding: try await response.body.collect(upTo: 100), as: UTF8.self)
      report.promise(twice == "0", "\(twice) unrepeatable requests received twice")
    }
    await transport.shutdown()
    await origin?.stop()
    try report.finish()
  }

  private static func closingOrigin() async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start(
      .with { options in
        options.requestsKept = 100_000
        options.connection = { _ in ConnectionBehaviour(idling: .close(after: .zero ... .milliseconds(2))) }
      }
    ) { _ in .ok("hello") }
  }

  private static func kinds(_ url: URL) -> [(String, @Sendable () -> Request)] {
    [
      ("GET", { Request(.get, url) }), ("POST", { Request(.post, url, body: .text("hello")) }),
      ("empty-POST", { Request(.post, url) }), ("PATCH", { Request(.patch, url, body: .text("hello")) }),
      (
        "DELETE",
        {
          var request = Request(.delete, url)
          request.options.isIdempotent = false
          return request
        }
      ),
    ]
  }

  private func send(_ loader: Loader, _ make: @escaping @Sendable (Int) -> Request) async -> Tally {
    let workers = 16
    return await withTaskGroup(of: Tally.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var tally = Tally()
          for number in stride(from: worker, to: count, by: workers) {
            do {
              let response = try await loader.load(make(number))
              _ = try await response.body.collect(upTo: 1_000)
              tally.good += 1
            } catch let error as NetworkError where error.maybeProcessed {
              tally.maybeProcessed += 1
            } catch let error as NetworkError where error.kind == .connectionLost || error.kind == .connectionFailed {
              tally.neverSent += 1
            } catch {
              print("\(error)")
              tally.other += 1
            }
            if number % 3 == 0 { try? await Task.sleep(for: .microseconds(Int.random(in: 0..<2_500))) }
          }
          return tally
        }
      }
      return await group.reduce(into: Tally()) { sum, tally in
        sum.good += tally.good
        sum.maybeProcessed += tally.maybeProcessed
        sum.neverSent += tally.neverSent
        sum.other += tally.other
      }
    }
  }
}
