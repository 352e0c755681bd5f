package import CurlewCore
package import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// nghttpd, which serves the files of a folder over HTTP/2 and echoes uploads.
///
/// It sends trailers and `100 Continue`, which nginx does not forward. It runs until the last reference to it is released.
package final class NghttpdServer: Sendable {
  /// Settings that trust its certificate and no other.
  package let settings: ExchangeSettings
  private let server: ServerProcess
  private let files: TestIdentity.Files
  private let holder: LoopbackSocket

  /// The path of nghttpd.
  package static let program = "/usr/sbin/nghttpd"

  /// Whether nghttpd is installed.
  package static var isAvailable: Bool { access(program, X_OK) == 0 }

  /// Starts nghttpd on a free port of 127.0.0.1, and waits until it listens.
  ///
  /// - Parameters:
  ///   - identity: The certificate and key of the server.
  ///   - contents: The files by name.
  ///   - trailers: The trailers after each body.
  /// - Throws: `OriginError`, `FileSystemError` or `CancellationError`.
  package static func start(
    _ identity: TestIdentity, contents: [String: [UInt8]], trailers: OriginFields = [:]
  ) async throws -> NghttpdServer {
    let server = try NghttpdServer(identity, contents, trailers)
    // Sleeps because nghttpd neither takes a socket that listens already nor says when its own does.
    while !server.isListening { try await Task.sleep(for: .milliseconds(5)) }
    return server
  }

  private init(_ identity: TestIdentity, _ contents: [String: [UInt8]], _ trailers: OriginFields) throws {
    settings = ExchangeSettings(trusting: identity.chain.map { Data($0.der) })
    files = try identity.writeFiles()
    for (name, bytes) in contents {
      let file = try LocalFileSystem().open(files.folder + "/" + name, [.write, .create])
      try bytes.withUnsafeBytes { buffer in try file.write(buffer, at: 0) }
      try file.close()
    }
    // nghttpd binds beside a socket that holds the port.
    holder = try LoopbackSocket()
    server = try ServerProcess(
      [Self.program, "--address=127.0.0.1", "-d", files.folder, "--echo-upload"]
        + trailers.lines.map { "--trailer=\($0.name): \($0.value)" } + ["\(holder.port)", files.key, files.chain])
  }

  /// Returns the URL of a file.
  package func url(_ name: String) -> URL {
    URL(string: "https://127.0.0.1:\(holder.port)/\(name)") ?? URL(filePath: "/")
  }

  /// Stops the server and removes its files.
  package func stop() {
    server.stop()
    files.remove()
  }

  private var isListening: Bool {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    return holder.address.withPointer { connect(client, $0, $1) } == 0
  }
}
