import Foundation
import FoundationNetworking

/// Foundation's URLSession, with a given number of concurrent tasks.
struct URLSessionClient: GetClient {
  private let session: URLSession
  private let url: URL
  private let inFlight: Int

  init(_ url: String, inFlight: Int) throws {
    guard let url = URL(string: url) else { throw BenchError(description: "The text is not a URL.") }
    self.url = url
    self.inFlight = inFlight
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = inFlight
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
  }

  func get(count: Int) async throws -> Int64 {
    try await withThrowingTaskGroup(of: Int64.self) { group in
      for index in 0..<inFlight {
        let share = count / inFlight + (index < count % inFlight ? 1 : 0)
        group.addTask {
          var bytes: Int64 = 0
          for _ in 0..<share { bytes += Int64(try await session.data(from: url).0.count) }
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Lets Foundation download to a temporary file, and moves that file.
  func download(to path: String) async throws -> Int64 {
    let (file, _) = try await session.download(from: url)
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
    return size ?? 0
  }

  func end() async { session.invalidateAndCancel() }
}
