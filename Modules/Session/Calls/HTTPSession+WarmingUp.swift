import CurlewCore
import CurlewSerialization
import HTTPTypes

extension HTTPSession {
  /// Opens connections before the first requests need them.
  ///
  /// Those requests then do not wait for name lookup, TCP and TLS. The call sends that many `HEAD` requests at once and
  /// ignores their statuses. Over HTTP/1.1 each has a connection of its own; over HTTP/2 they share one. The connections stay
  /// open as long as transport and server keep idle connections.
  ///
  /// It sends requests because only a request leaves a connection that another one may use: HTTP has nothing that merely
  /// connects, and libcurl lets no other request use a connection that was opened by `CURLOPT_CONNECT_ONLY`. `HEAD` is safe (RFC
  /// 9110 §9.2.1) and has no body in either direction.
  ///
  /// - Parameters:
  ///   - path: The path to request; by default the base URL.
  ///   - connections: The number of connections, 1 to 64.
  /// - Returns: The number of requests that were answered; the errors of the others are not reported.
  @discardableResult
  public func warmUp(_ path: String = "", connections: Int = 1) async -> Int {
    let serializer = DataResponseSerializer(validation: .everything)
    return await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<min(max(1, connections), 64) {
        group.addTask {
          let call = Call(.head, path, nil, .none, [:], RequestOptions())
          return (try? await response(to: call, serializer)) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }
}
