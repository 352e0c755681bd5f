import Foundation
import FoundationNetworking
import Work

/// The work with `URLSession.shared`.
@main struct URLSessionPeer: Peer {
  static func main() async { await Work.run(with: URLSessionPeer()) }

  func bytes(of url: String) async throws -> Int { try await data(of: url).count }

  func text(of url: String) async throws -> String { String(decoding: try await data(of: url), as: UTF8.self) }

  func record(of url: String) async throws -> Record {
    try JSONDecoder().decode(Record.self, from: try await data(of: url))
  }

  func download(_ url: String, to path: String) async throws {
    let (file, response) = try await URLSession.shared.download(from: try parse(url))
    try check(response)
    try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
  }

  private func data(of url: String) async throws -> Data {
    let (data, response) = try await URLSession.shared.data(from: try parse(url))
    try check(response)
    return data
  }

  private func parse(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw WrongAnswer("The text is not a URL.") }
    return url
  }

  private func check(_ response: URLResponse) throws {
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw WrongAnswer("The status is not 200.") }
  }
}
