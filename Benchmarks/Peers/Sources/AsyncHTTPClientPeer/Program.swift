import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Work

/// The work with `HTTPClient.shared`.
@main struct AsyncHTTPClientPeer: Peer {
  static func main() async { await Work.run(with: AsyncHTTPClientPeer()) }

  func bytes(of url: String) async throws -> Int { try await body(of: url).readableBytes }

  func text(of url: String) async throws -> String { String(buffer: try await body(of: url)) }

  func record(of url: String) async throws -> Record {
    try JSONDecoder().decode(Record.self, from: try await body(of: url))
  }

  func download(_ url: String, to path: String) async throws {
    let request = try HTTPClient.Request(url: url)
    let delegate = try FileDownloadDelegate(path: path)
    let progress = try await HTTPClient.shared.execute(request: request, delegate: delegate).get()
    guard progress.head.status == .ok else { throw WrongAnswer("The status is \(progress.head.status.code).") }
  }

  private func body(of url: String) async throws -> ByteBuffer {
    let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
    guard response.status == .ok else { throw WrongAnswer("The status is \(response.status.code).") }
    return try await response.body.collect(upTo: 1 << 20)
  }
}
