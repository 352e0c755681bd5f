package import CurlewCore
package import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// A conformance endpoint over HTTP/2: nginx in front of a `ScriptedOrigin`.
///
/// nginx forwards everything without buffering, in both directions, so the behaviour of the origin is visible as far as HTTP/2
/// and nginx allow. It runs with its own files in a temporary folder, until the last reference to it is released.
package final class NginxEndpoint: FrameEndpoint {
  /// The name of the endpoint, for messages.
  package let name = "HTTP/2 through nginx"
  /// The features of the origin that nginx preserves.
  package let features: EndpointFeatures = [
    .sockets, .madeFields, .cuts, .slowReading, .progress, .connections, .departures, .tls, .http2, .codings,
    .brokenUploads, .frames,
  ]
  /// Settings that trust its certificate and no other.
  package let settings: ExchangeSettings
  /// The certificates that it shows, in DER, leaf first.
  package let certificates: [Data]
  private let origin: ScriptedOrigin
  private let table: PlaceTable
  private let server: ServerProcess
  private let identity: TestIdentity
  private let files: TestIdentity.Files
  private let port: Int

  /// The path of nginx.
  package static let program = "/usr/sbin/nginx"

  /// Whether nginx is installed.
  package static var isAvailable: Bool { access(program, X_OK) == 0 }

  private static let connectionField = "Conformance-Connection"

  /// Starts nginx on a free port of 127.0.0.1.
  ///
  /// - Throws: `OriginError`, `CertificateError` or `FileSystemError` when a resource is not available.
  package static func start(_ identity: TestIdentity) async throws -> NginxEndpoint {
    let table = PlaceTable()
    let origin = try await ScriptedOrigin.start(.with { $0.transcriptBytes = 512 }) { request in
      table.reply(to: request, connectionField: connectionField)
    }
    return try NginxEndpoint(identity, origin, table)
  }

  private init(_ identity: TestIdentity, _ origin: ScriptedOrigin, _ table: PlaceTable) throws {
    self.origin = origin
    self.table = table
    self.identity = identity
    certificates = identity.chain.map { Data($0.der) }
    settings = ExchangeSettings(trusting: certificates)
    files = try identity.writeFiles()
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 512)
    port = socket.port
    let path = files.folder + "/nginx.conf"
    let text = Self.configuration(port: port, origin: origin.port, files)
    let file = try LocalFileSystem().open(path, [.write, .create])
    try [UInt8](text.utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
    try file.close()
    // The socket listens before nginx starts, so nothing has to wait for nginx.
    server = try ServerProcess(
      [Self.program, "-p", files.folder, "-c", path, "-e", files.folder + "/error.log"], environment: ["NGINX=7;"],
      inherited: socket.descriptor)
  }

  /// A resource whose body is `r` if the connection resumed a TLS session, and `.` otherwise.
  package var resumption: String { "https://127.0.0.1:\(port)/curlew/resumed" }

  /// Opens a place that answers each request by a script, until it is closed.
  package func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: "https://127.0.0.1:\(port)", script)
  }

  /// Starts an HTTP/2 server beside nginx.
  ///
  /// - Throws: `OriginError` when it cannot be started.
  package func openFrames(
    ignoring ignored: Range<Int>, _ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]
  ) throws -> FrameOrigin {
    try FrameOrigin.start(identity, ignoring: ignored, script)
  }

  /// Stops nginx and the origin, and removes their files.
  package func stop() async {
    server.stop()
    files.remove()
    await origin.stop()
  }

  private static func configuration(port: Int, origin: Int, _ files: TestIdentity.Files) -> String {
    """
    daemon off;
    worker_processes 1;
    \(geteuid() == 0 ? "user root;" : "")
    pid \(files.folder)/nginx.pid;
    events { worker_connections 4096; }
    http {
      access_log off;
      client_body_temp_path \(files.folder)/body;
      proxy_temp_path \(files.folder)/proxy;
      fastcgi_temp_path \(files.folder)/fastcgi;
      uwsgi_temp_path \(files.folder)/uwsgi;
      scgi_temp_path \(files.folder)/scgi;
      keepalive_timeout 600s;
      keepalive_requests 1000000;
      client_max_body_size 0;
      client_body_timeout 600s;
      large_client_header_buffers 8 64k;
      proxy_read_timeout 600s;
      proxy_send_timeout 600s;
      send_timeout 600s;
      ignore_invalid_headers off;
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(files.chain);
        ssl_certificate_key \(files.key);
        proxy_http_version 1.1;
        proxy_buffering off;
        proxy_buffer_size 64k;
        proxy_buffers 8 64k;
        proxy_busy_buffers_size 128k;
        proxy_next_upstream off;
        proxy_redirect off;
        proxy_pass_header Server;
        proxy_pass_header Date;
        proxy_set_header Host $http_host;
        proxy_set_header Connection "";
        proxy_set_header \(connectionField) $connection;
        # nginx does not notice that a client has left when it streams a request, even one without a body.
        error_page 418 = @bodyless;
        location / {
          if ($request_method = GET) { return 418; }
          proxy_request_buffering off;
          proxy_pass http://127.0.0.1:\(origin);
        }
        location = /curlew/resumed { return 200 $ssl_session_reused; }
        location @bodyless { proxy_pass http://127.0.0.1:\(origin); }
      }
    }
    """
  }
}
