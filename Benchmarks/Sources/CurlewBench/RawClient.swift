import CRawLoop

/// libcurl's multi interface on an epoll loop in C.
struct RawClient: GetClient {
  // Safe because one task uses it at a time.
  private nonisolated(unsafe) let client: OpaquePointer

  init(_ url: String, inFlight: Int) throws {
    guard let client = raw_client_new(url, inFlight) else { throw BenchError(description: "libcurl could not start.") }
    self.client = client
  }

  /// Uses a new connection for each further request, without verifying certificates.
  func connectAnew() { raw_client_connect_anew(client) }

  func get(count: Int) async throws -> Int64 { try run(count: count, descriptor: -1) }

  /// Sends requests and writes their bodies to a descriptor, unless it is negative.
  func run(count: Int, descriptor: Int32) throws -> Int64 {
    let totals = raw_client_run(client, Int64(count), descriptor)
    guard totals.failed == 0 else { throw BenchError(description: "\(totals.failed) requests failed.") }
    return totals.bytes
  }

  func end() async { raw_client_free(client) }
}
