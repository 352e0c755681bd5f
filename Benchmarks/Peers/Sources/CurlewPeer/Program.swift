import Curlew
import Work

/// The work with the defaults of `import Curlew`.
@main struct CurlewPeer: Peer {
  let session = HTTPSession()

  static func main() async { await Work.run(with: CurlewPeer()) }

  func bytes(of url: String) async throws -> Int { try await session.get(url, .data).count }

  func text(of url: String) async throws -> String {
    String(decoding: try await session.get(url, .data), as: UTF8.self)
  }

  func record(of url: String) async throws -> Record { try await session.get(url) }

  func download(_ url: String, to path: String) async throws {
    _ = try await session.download(url, to: path).value
  }
}
