/// Decides which idle connections are closed, without I/O.
///
/// A connection that was just used is likely to be used again. Many of them, after a burst of requests, only hold memory and
/// descriptors, here and at the server.
package struct IdleRule: Sendable {
  /// The number of idle connections that are kept for `longest`.
  package var kept = 64
  /// The milliseconds after which further idle connections are closed.
  package var brief: UInt32 = 5_000
  /// The milliseconds after which every idle connection is closed; libcurl uses none of them after 118 s.
  package var longest: UInt32 = 118_000

  /// Returns the indices of the connections to close.
  ///
  /// - Parameter idle: How long each idle connection has been silent, in milliseconds.
  func expired(_ idle: [UInt32]) -> [Int] {
    let byAge = idle.indices.sorted { idle[$0] < idle[$1] }
    return byAge.enumerated().compactMap { rank, index in
      idle[index] >= (rank < kept ? longest : brief) ? index : nil
    }
  }

  /// Returns the milliseconds after which to look again; nil if no connection is idle.
  func nextLook(idle count: Int) -> UInt32? {
    count == 0 ? nil : count > kept ? brief : longest
  }
}
