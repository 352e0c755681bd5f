import CurlewCore
import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// nginx, which serves a folder over HTTP/1.1 with its own ranges and validators.
///
/// It listens on loopback and runs until the last reference to it is released.
package final class NginxFolder: Sendable {
  private let server: ServerProcess
  private let state: String
  private let port: Int

  /// Starts nginx on a free port.
  ///
  /// - Parameter folder: The absolute path of the folder that it serves.
  /// - Throws: `FileSystemError` when no process, port or descriptor is available.
  package init(_ folder: String) throws {
    let files = LocalFileSystem()
    let state = FileManager.default.temporaryDirectory.path + "/curlew-nginx-\(UInt64.random(in: 0 ... .max))"
    try files.createDirectory(state)
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 64)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(state)/\($0);" }
    let text = """
      daemon off; worker_processes 1; pid \(state)/pid; \(geteuid() == 0 ? "user root;" : "")
      events {}
      http {
        log_format sent '$body_bytes_sent'; access_log \(state)/sent sent; \(temporary.joined(separator: " "))
        default_type application/octet-stream;
        server {
          listen 127.0.0.1:\(socket.port);
          root \(folder);
          location /limited/ { alias \(folder)/; limit_rate_after 200k; limit_rate 1; }
        }
      }
      """
    let file = try files.open(state + "/conf", [.write, .create])
    try [UInt8](text.utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
    try file.close()
    self.state = state
    port = socket.port
    // The socket listens before nginx starts, so nothing has to wait for nginx.
    server = try ServerProcess(
      [NginxEndpoint.program, "-p", state, "-c", state + "/conf", "-e", state + "/log"], environment: ["NGINX=7;"],
      inherited: socket.descriptor)
  }

  /// Stops nginx and removes its own files.
  package func stop() {
    server.stop()
    // Files that remain are in the temporary directory.
    try? FileManager.default.removeItem(atPath: state)
  }

  /// The bytes of each body that nginx has passed to the kernel.
  ///
  /// There is one number for each finished request, in order.
  package var bytesSent: [Int64] {
    let text = (try? String(contentsOfFile: state + "/sent", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { Int64($0) }
  }

  /// Returns the URL of a file in the folder.
  ///
  /// Under `/limited/`, the same file is sent at one byte per second after its first 200 kB.
  package func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
  }
}
